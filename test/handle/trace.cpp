// Traces: what is written, where, and that nothing that happens to them matters.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/errc.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/tracing.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::file_call;
using io::lock_kind;
using io::trace_format;
using io::trace_mode;
using io::trace_options;
using io::test::content_of;
using io::test::in_child;
using io::test::scratch;

namespace {

constexpr io::open_flags read_write{.read = true, .write = true, .create = true};
std::vector<std::byte> const data(100, std::byte{'x'});

std::vector<std::string> lines_of(std::string const& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The only file of the directory.
std::string only_file(std::string const& directory) {
  std::vector<std::string> files;
  for (auto const& entry : std::filesystem::directory_iterator(directory)) files.push_back(entry.path().string());
  REQUIRE(files.size() == 1);
  return files[0];
}

// A variable of the environment, as long as it lives.
struct variable {
  variable(char const* n, std::string const& value) : name(n) { ::setenv(n, value.c_str(), 1); }
  ~variable() { ::unsetenv(name); }
  variable(variable const&) = delete;
  variable& operator=(variable const&) = delete;
  char const* name;
};

// Whether a text is JSON: enough of a parser for that.
struct json {
  std::string_view text;
  std::size_t at = 0;

  void space() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
  }
  bool take(char c) {
    space();
    if (at == text.size() || text[at] != c) return false;
    ++at;
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    for (; at < text.size() && text[at] != '"'; ++at) {
      if (static_cast<unsigned char>(text[at]) < 0x20) return false;
      if (text[at] == '\\') ++at;
    }
    return at++ < text.size();
  }
  bool list(char end, auto element) {
    if (take(end)) return true;
    do {
      if (!element()) return false;
    } while (take(','));
    return take(end);
  }
  bool value() {
    space();
    if (at == text.size()) return false;
    if (text[at] == '"') return string();
    if (take('[')) return list(']', [&] { return value(); });
    if (take('{')) return list('}', [&] { return string() && take(':') && value(); });
    std::size_t const begin = at;
    while (at < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[at])) || text[at] == '.' || text[at] == '-'))
      ++at;
    return at > begin;
  }
  static bool valid(std::string_view s) {
    json j{s};
    bool const good = j.value();
    j.space();
    return good && j.at == s.size();
  }
};

// Every kind of call, some of which fail.
void use(io::any_handle& f) {
  f.write(0, data);
  std::vector<io::write_part> const parts{
      {200, std::span(data).first(10)}, {210, std::span(data).first(10)}, {300, data}};
  f.write(parts);
  std::vector<std::byte> memory(1000);
  f.read(50, memory);
  f.lock(0, 10, lock_kind::exclusive);
  f.unlock(0, 10);
  std::error_code error;
  f.size(error);
  f.resize(50);
  f.preallocate(60);
  f.sync();
  f.close();
}

}  // namespace

TEST_CASE("errors have names", "[trace]") {
  CHECK(io::error_name({ENOSPC, std::system_category()}) == "ENOSPC");
  CHECK(io::error_name(std::make_error_code(std::errc::io_error)) == "EIO");
  CHECK(io::error_name({}) == "");
  CHECK_THAT(io::error_name(io::errc::truncated), ContainsSubstring("argosy"));
  CHECK(io::error_name({4711, std::generic_category()}) == "errno 4711");
}

TEST_CASE("the environment chooses", "[trace]") {
  CHECK(trace_options::from_environment().mode == trace_mode::off);
  CHECK(io::open_trace(trace_options::from_environment()) == nullptr);
  {
    variable const a("ARGOSY_TRACE", "calls"), b("ARGOSY_TRACE_FROM", "4096"), c("ARGOSY_TRACE_DIR", "/somewhere"),
        d("ARGOSY_TRACE_FORMAT", "chrome");
    auto const o = trace_options::from_environment(5, "agent2");
    CHECK(o.mode == trace_mode::calls);
    CHECK(o.format == trace_format::chrome);
    CHECK(o.from_offset == 4096);
    CHECK(o.directory == "/somewhere");
    CHECK_THAT(io::tracer(o).path(), ContainsSubstring("/somewhere/argosy-") &&
                                         ContainsSubstring("-" + std::to_string(::getpid()) + "-rank5-agent2.json"));
  }
  {
    variable const a("ARGOSY_TRACE", "everything"), b("ARGOSY_TRACE_FROM", "-1");
    auto const o = trace_options::from_environment();
    CHECK(o.mode == trace_mode::off);
    CHECK(o.from_offset == 0);
  }
  for (auto const& [value, mode] : {std::pair("1", trace_mode::calls), std::pair("0", trace_mode::off)}) {
    variable const a("ARGOSY_TRACE", value);  // as for the other variables
    CHECK(trace_options::from_environment().mode == mode);
  }
  variable const t("TMPDIR", "/local");
  trace_options o;
  o.program = "../evil name";
  CHECK_THAT(io::tracer(o).path(), ContainsSubstring("/local/argosy-.._evil_name-"));
  o.program = "~LES3d+{Z}[a]";
  CHECK_THAT(io::tracer(o).path(), ContainsSubstring("/local/argosy-_LES3d+_Z__a_-"));
}

TEST_CASE("what the environment says is read whole, and complained of once", "[trace]") {
  scratch const dir;
  int const good = in_child([&] {
    if (!std::freopen((dir / "complaints").c_str(), "w", stderr)) return false;
    for (char const* from : {"", "12x", "99999999999999999999", "x"}) {
      variable const a("ARGOSY_TRACE", ""), b("ARGOSY_TRACE_FROM", from), c("TMPDIR", "");
      for (int i = 0; i < 2; ++i) {
        auto const o = trace_options::from_environment();
        if (o.mode != trace_mode::off || o.from_offset != 0) return false;
        if (io::tracer(o).path().find("/tmp/argosy-") != 0) return false;
      }
    }
    // Other ranks mostly have the same environment: they leave it to rank 0.
    variable const other("ARGOSY_TRACE", "everything");
    if (trace_options::from_environment(1).mode != trace_mode::off) return false;
    ::unsetenv("TMPDIR");
    std::fflush(stderr);
    return io::tracer(trace_options()).path().find("/tmp/argosy-") == 0;
  });
  CHECK(good == 0);
  auto const complaints = lines_of(content_of(dir / "complaints"));
  REQUIRE(complaints.size() == 3);
  CHECK_THAT(complaints[0], ContainsSubstring("ARGOSY_TRACE_FROM=12x is not understood (a file offset in bytes)"));
  CHECK_THAT(complaints[1], ContainsSubstring("99999999999999999999"));
}

TEST_CASE("a trace that cannot be written is told at open, once for each rank, and why", "[trace][errors]") {
  scratch const dir;
  int const good = in_child([&] {
    if (!std::freopen((dir / "complaints").c_str(), "w", stderr)) return false;
    trace_options o{.mode = trace_mode::errors, .directory = dir / "missing"};
    for (o.rank = 3; o.rank < 5; ++o.rank)
      for (int i = 0; i < 2; ++i) {
        auto const to = io::open_trace(o);
        std::error_code error;
        io::with_tracing(io::posix_opener(), to)(dir / "no/f", read_write, error);
        if (!error || to->lines() != 0) return false;
      }
    io::open_trace({.mode = trace_mode::calls, .directory = dir.string(), .rank = 5});
    // A directory that goes when the trace is open already.
    std::filesystem::create_directory(dir / "short-lived");
    auto const late = io::open_trace({.mode = trace_mode::calls, .directory = dir / "short-lived", .rank = 6});
    std::filesystem::remove(dir / "short-lived");
    late->note("one");
    late->note("two");
    std::fflush(stderr);
    return true;
  });
  CHECK(good == 0);
  auto const complaints = lines_of(content_of(dir / "complaints"));
  REQUIRE(complaints.size() == 3);
  CHECK(complaints[0] ==
        "argosy: the trace of rank 3 cannot be written to " + (dir / "missing") +
            ": No such file or directory; make the directory, or name another one by ARGOSY_TRACE_DIR");
  CHECK_THAT(complaints[1], ContainsSubstring("the trace of rank 4 cannot be written"));
  CHECK_THAT(complaints[2], ContainsSubstring("the trace of rank 6 cannot be written to " + (dir / "short-lived")));
}

TEST_CASE("without a trace nothing is wrapped", "[trace]") {
  scratch const dir;
  std::error_code error;
  io::any_handle f = io::with_tracing(io::posix_opener())(dir / "f", read_write, error);
  CHECK(f.target<io::posix>() != nullptr);
}

TEST_CASE("every call is a line", "[trace]") {
  scratch const dir, traces;
  trace_options o{.mode = trace_mode::calls, .directory = traces.string(), .rank = 3, .agent = "writer"};
  {
    auto const to = std::make_shared<io::tracer>(o);
    std::error_code error;
    io::any_handle f = io::with_tracing(io::posix_opener(), to)(dir / "f", read_write, error);
    CHECK(f.is_open());
    use(f);
    to->note("phase\ntwo");
    io::with_tracing(io::posix_opener(), to)(dir / "no/f", read_write, error);
    CHECK(to->lines() == 13);
  }
  auto const lines = lines_of(content_of(only_file(traces.string())));
  CHECK(lines.size() == 15);
  std::vector<std::string> const expected{
      R"(# argosy trace: rank 3 writer of .*, pid \d+ on .*)",
      R"(# time.*)",
      R"( open ".*/f" read write create -> ok)",
      R"( write ".*/f" offset=0 bytes=100 -> 100)",
      R"( write ".*/f" offset=200 bytes=120 runs=2 at=200\+20,300\+100 -> 120)",
      R"( read ".*/f" offset=50 bytes=1000 -> 350)",
      R"( lock ".*/f" offset=0 bytes=10 exclusive -> ok)",
      R"( unlock ".*/f" offset=0 bytes=10 -> ok)",
      R"( size ".*/f" -> 400)",
      R"( resize ".*/f" bytes=50 -> ok)",
      R"( preallocate ".*/f" bytes=60 -> ok)",
      R"( sync ".*/f" -> ok)",
      R"( close ".*/f" -> ok)",
      R"( # phase two)",
      R"( open ".*/no/f" read write create -> ENOENT \(No such file or directory\))"};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string const when = i < 2     ? ""
                             : i == 13 ? R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z)"
                                       : R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z \d+\.\d{6} s)";
    CAPTURE(lines[i], expected[i]);
    CHECK(std::regex_match(lines[i], std::regex(when + expected[i])));
  }
}

TEST_CASE("errors only, and no file without one", "[trace]") {
  scratch const dir, traces;
  trace_options const o{.mode = trace_mode::errors, .from_offset = 1 << 20, .directory = traces.string()};
  auto const to = std::make_shared<io::tracer>(o);
  auto const script = std::make_shared<io::fault_script>();
  auto const open = io::with_tracing(io::with_faults(io::posix_opener(), script), to);
  std::error_code error;
  io::any_handle f = open(dir / "f", read_write, error);
  use(f);
  CHECK(std::filesystem::is_empty(traces.string()));
  script->clear();
  script->add(io::fail_at(file_call::write, 1, std::errc::no_space_on_device));
  script->add(io::fail_at(file_call::sync, 1, std::errc::io_error));
  f = open(dir / "f", read_write, error);
  use(f);
  auto const text = content_of(only_file(traces.string()));
  CHECK(to->lines() == 2);
  CHECK_THAT(text, ContainsSubstring("write") && ContainsSubstring("offset=0 bytes=100 -> 0 ENOSPC (") &&
                       ContainsSubstring("sync") && ContainsSubstring("-> EIO ("));
}

TEST_CASE("an error names the run in which it came, and of many runs the first are listed", "[trace]") {
  scratch const dir, traces;
  for (trace_format const format : {trace_format::text, trace_format::chrome}) {
    trace_options const o{.mode = trace_mode::errors, .format = format, .directory = traces.string()};
    auto const to = std::make_shared<io::tracer>(o);
    auto const script = std::make_shared<io::fault_script>();
    std::error_code error;
    io::any_handle f = io::with_tracing(io::with_faults(io::posix_opener(), script), to)(dir / "f", read_write, error);
    script->fill_disk_at(310);
    std::vector<io::write_part> parts{{200, std::span(data).first(10)}, {210, std::span(data).first(10)}, {300, data}};
    CHECK(f.write(parts).bytes == 30);
    std::span<std::byte const> const few = std::span(data).first(5);
    parts = {{0, few}};
    for (std::int64_t i = 1; i < 40; ++i) parts.push_back({i * 10, few});
    CHECK(f.write(parts).bytes == 155);
    auto const text = content_of(to->path());
    bool const words = format == trace_format::text;
    CHECK(to->lines() == 2);
    CHECK_THAT(text, ContainsSubstring(words ? " at=200+20,300+100 failed=300+100 -> 30 ENOSPC"
                                             : R"("at":"200+20,300+100","failed":"300+100")"));
    CHECK_THAT(text,
               ContainsSubstring(words ? "300+5,310+5,... failed=310+5 -> 155" : R"(310+5,...","failed":"310+5")"));
  }
}

TEST_CASE("calls below an offset are left out, unless they fail", "[trace]") {
  scratch const dir, traces;
  trace_options const o{.mode = trace_mode::calls, .from_offset = 150, .directory = traces.string()};
  auto const to = std::make_shared<io::tracer>(o);
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::fail_at(file_call::write, 2, std::errc::io_error));
  std::error_code error;
  io::any_handle f = io::with_tracing(io::with_faults(io::posix_opener(), script), to)(dir / "f", read_write, error);
  f.write(0, data);   // below
  f.write(10, data);  // fails
  f.write(50, data);  // ends at 150: below
  f.write(60, data);  // reaches it
  f.write(500, data);
  auto const text = content_of(to->path());
  CHECK(to->lines() == 4);  // open, too
  for (char const* const there : {"offset=10 ", "offset=60 ", "offset=500 "})
    CHECK_THAT(text, ContainsSubstring(there));
}

TEST_CASE("a trace for Perfetto is JSON, and also when it is cut off", "[trace]") {
  scratch const dir, traces;
  trace_options o{.format = trace_format::chrome, .directory = traces.string()};
  o.mode = trace_mode::calls;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    o.rank = rank;
    auto const to = std::make_shared<io::tracer>(o);
    std::error_code error;
    io::any_handle f = io::with_tracing(io::posix_opener(), to)(dir / "a \"quoted\" file", read_write, error);
    use(f);
    f.sync();  // closed: an error
    to->note("half\ttime \"quoted\"");
    paths.push_back(to->path());
    CHECK(json::valid(content_of(to->path()) + "]"));  // as a process that died leaves it
  }
  for (auto const& path : paths) {
    auto const text = content_of(path);
    CHECK(json::valid(text));
    CHECK_THAT(text, ContainsSubstring(R"("error":"EBADF")") && ContainsSubstring(R"("ph":"X")") &&
                         ContainsSubstring("process_name"));
  }
  // several ranks in one
  std::string const command =
      "cd " + traces.string() + " && (head -qn1 argosy-*-rank0.json; grep -hs '^,' argosy-*.json; echo ']') > all.json";
  REQUIRE(std::system(command.c_str()) == 0);
  auto const all = content_of(traces / "all.json");
  CHECK(json::valid(all));
  CHECK_THAT(all, ContainsSubstring("\"pid\":0") && ContainsSubstring("\"pid\":1"));
}

TEST_CASE("a process that dies leaves its calls", "[trace]") {
  scratch const dir, traces;
  int const died = in_child([&]() -> bool {
    trace_options const o{.mode = trace_mode::calls, .format = trace_format::chrome, .directory = traces.string()};
    std::error_code error;
    io::any_handle f = io::with_tracing(io::posix_opener(), io::open_trace(o))(dir / "f", read_write, error);
    f.write(0, data);
    ::kill(::getpid(), SIGKILL);
    return true;
  });
  CHECK(died == 1000 + SIGKILL);
  auto const text = content_of(only_file(traces.string()));
  CHECK_FALSE(json::valid(text));
  CHECK(json::valid(text + "]"));
  CHECK_THAT(text, ContainsSubstring("\"write\""));
}

TEST_CASE("one file per rank, for all its handles and threads", "[trace]") {
  scratch const dir, traces;
  trace_options const o{.mode = trace_mode::calls, .directory = traces.string(), .rank = 9};
  auto const to = io::open_trace(o);
  CHECK(io::open_trace(o) == to);
  std::vector<std::thread> pool;
  for (int t = 0; t < 4; ++t)
    pool.emplace_back([&, t] {
      std::error_code error;
      io::any_handle f =
          io::with_tracing(io::posix_opener(), io::open_trace(o))(dir / std::to_string(t), read_write, error);
      for (int i = 0; i < 100; ++i) f.write(i, data);
    });
  for (auto& t : pool) t.join();
  auto const lines = lines_of(content_of(only_file(traces.string())));
  CHECK(lines.size() == 2 + 4 * 101);
  for (auto const& line : lines) CHECK((line[0] == '#' || line.find(" -> ") != std::string::npos));
}

TEST_CASE("a line stays a line, whatever a program is called", "[trace]") {
  scratch const dir;
  trace_options o;
  o.mode = trace_mode::calls;
  o.directory = dir.string();
  o.program = "two\nlines";
  io::tracer t(o);
  t.record({.file = "a\nname"});
  CHECK(lines_of(content_of(t.path())).size() == 3);
}

TEST_CASE("a second tracer of the same name does not disturb the first", "[trace]") {
  scratch const traces;
  trace_options const o{.mode = trace_mode::calls, .directory = traces.string()};
  io::tracer a(o), b(o);
  a.note("first");
  b.note("second");
  CHECK(a.path() != b.path());
  CHECK_THAT(content_of(a.path()), ContainsSubstring("first") && !ContainsSubstring("second"));
  CHECK_THAT(content_of(b.path()), ContainsSubstring("second"));
}

TEST_CASE("the line of an open says how, and any name can be written", "[trace]") {
  scratch const dir, traces;
  for (auto const format : {trace_format::text, trace_format::chrome}) {
    auto const to = std::make_shared<io::tracer>(
        trace_options{.mode = trace_mode::calls, .format = format, .directory = traces.string()});
    auto const open = io::with_tracing(io::posix_opener(), to);
    std::error_code error;
    std::string const name = dir / "a \"b\" \\c\n";
    open(name, {.write = true, .create = true, .exclusive = true}, error);
    open(name, {.read = true}, error);
    open(name, {.write = true}, error);
    open(name, read_write, error);
    CHECK_FALSE(error);
    to->note("one\ntwo");
    std::filesystem::remove(name);
    auto const text = content_of(to->path());
    CHECK_THAT(text, ContainsSubstring("write create exclusive") && ContainsSubstring("read write create") &&
                         ContainsSubstring("a \\\"b\\\" \\\\c\\u000a"));
    if (format == trace_format::chrome) {
      CHECK(json::valid(text + "]"));
      continue;
    }
    auto const lines = lines_of(text);
    REQUIRE(lines.size() == 7);  // two of them the head
    CHECK_THAT(lines[3], ContainsSubstring(" read -> ok"));
    CHECK_THAT(lines[4], ContainsSubstring(" write -> ok"));
    CHECK_THAT(lines[6], ContainsSubstring("# one two"));
  }
}

TEST_CASE("a tracer that is off writes nothing, also when it is told", "[trace]") {
  scratch const dir, traces;
  auto const to = std::make_shared<io::tracer>(trace_options{.mode = trace_mode::off, .directory = traces.string()});
  CHECK(to->options().mode == trace_mode::off);
  to->note("nothing");
  std::error_code error;
  io::any_handle f = io::with_tracing(io::posix_opener(), to)(dir / "f", read_write, error);
  use(f);
  CHECK(to->lines() == 0);
  CHECK(std::filesystem::is_empty(traces.string()));
}

TEST_CASE("a lock without end and a list without parts are lines, too", "[trace]") {
  scratch const dir, traces;
  auto const to = std::make_shared<io::tracer>(
      trace_options{.mode = trace_mode::calls, .from_offset = 1000, .directory = traces.string()});
  std::error_code error;
  io::tracing f(io::posix::open(dir / "f", read_write, error), to, "f");
  CHECK_FALSE(f.lock(100, INT64_MAX, lock_kind::shared));
  CHECK_FALSE(f.lock(10, 20, lock_kind::shared));  // ends before 1000
  CHECK(f.write(std::span<io::write_part const>()).bytes == 0);
  CHECK(to->lines() == 1);
  CHECK_THAT(content_of(to->path()), ContainsSubstring("lock \"f\" offset=100 bytes=9223372036854775807 shared -> ok"));
}

TEST_CASE("a trace without a descriptor waits for one; a hundredth of one name is not written", "[trace][errors]") {
  scratch const traces;
  trace_options const o{.mode = trace_mode::calls, .directory = traces.string()};
  int const good = in_child([&] {
    io::tracer to(o);
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit const none{0, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
    to.note("lost");
    ::setrlimit(RLIMIT_NOFILE, &before);
    if (to.lines() != 0) return false;
    to.note("kept");
    return to.lines() == 1 && content_of(to.path()).find("kept") != std::string::npos;
  });
  CHECK(good == 0);
  for (auto const& left : std::filesystem::directory_iterator(traces.string())) std::filesystem::remove(left.path());
  for (int i = 1; i <= 100; ++i) {
    io::tracer to(o);
    to.note("a line");
    to.note("another");
    CHECK(to.lines() == (i < 100 ? 2 : 0));
  }
}

TEST_CASE("a trace that cannot be written disturbs nothing", "[trace][errors]") {
  scratch const dir, traces;
  std::size_t const before = io::test::open_descriptors();
  auto const works = [&](std::shared_ptr<io::tracer> const& to) {
    std::error_code error;
    io::any_handle f = io::with_tracing(io::posix_opener(), to)(dir / "f", read_write, error);
    if (error) return false;
    errno = 4711;
    return f.write(0, data).bytes == 100 && !f.sync() && f.read(0, {}).bytes == 0 && !f.close();
  };
  SECTION("no such directory") {
    trace_options const o{.mode = trace_mode::calls, .directory = "/no/such/directory"};
    auto const to = std::make_shared<io::tracer>(o);
    CHECK(works(to));
    CHECK(to->lines() == 0);
  }
  SECTION("a full disk: whole lines as far as they go") {
    io::test::small_tmpfs const fs(traces / "mount", "size=8k");
    if (!fs.mounted()) return io::test::skipped("no right to mount a tmpfs");
    for (auto const format : {trace_format::text, trace_format::chrome}) {
      trace_options const o{.mode = trace_mode::calls, .format = format, .directory = traces / "mount"};
      auto const to = std::make_shared<io::tracer>(o);
      for (int i = 0; i < 50; ++i) CHECK(works(to));
      auto const text = content_of(to->path());
      CHECK(to->lines() > 10);
      CHECK(to->lines() < 200);
      CHECK(text.back() == '\n');
      if (format == trace_format::chrome) CHECK(json::valid(text + "]"));
      std::filesystem::remove(to->path());
    }
  }
  SECTION("a size limit: the process lives") {
    int const lived = in_child([&] {
      rlimit const limit{1000, 1000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      trace_options const o{.mode = trace_mode::calls, .directory = traces.string()};
      auto const to = std::make_shared<io::tracer>(o);
      for (int i = 0; i < 50; ++i)
        if (!works(to)) return false;
      return to->lines() > 1;
    });
    CHECK(lived == 0);
  }
  SECTION("the directory is taken away") {
    trace_options const o{.mode = trace_mode::calls, .directory = traces.string()};
    auto const to = std::make_shared<io::tracer>(o);
    CHECK(works(to));
    std::filesystem::remove_all(traces.string());
    CHECK(works(to));
  }
  CHECK(io::test::open_descriptors() == before);
}

TEST_CASE("around a raw handle, the calls to the system are seen", "[trace]") {
  scratch const dir, traces;
  trace_options const o{.mode = trace_mode::calls, .directory = traces.string()};
  auto const to = std::make_shared<io::tracer>(o);
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::interrupt_at(file_call::write, 1, 2));
  std::error_code error;
  io::retrying f(io::tracing(io::faulty(io::raw_posix::open(dir / "f", read_write, error), script), to, "f"));
  CHECK(f.write(0, data).bytes == 100);
  auto const text = content_of(to->path());
  CHECK_THAT(text, ContainsSubstring("-> 0 EINTR") && ContainsSubstring("-> 100"));
  CHECK(to->lines() == 3);
}
