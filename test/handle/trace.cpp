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
#include <chrono>
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
using io::trace_write;
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
        d("ARGOSY_TRACE_FORMAT", "chrome"), e("ARGOSY_TRACE_WRITE", "at_once");
    auto const o = trace_options::from_environment(5, "agent2");
    CHECK(o.mode == trace_mode::calls);
    CHECK(o.format == trace_format::chrome);
    CHECK(o.write == trace_write::at_once);
    CHECK(o.from_offset == 4096);
    CHECK(o.directory == "/somewhere");
    CHECK_THAT(io::tracer(o).path(), ContainsSubstring("/somewhere/argosy-") &&
                                         ContainsSubstring("-" + std::to_string(::getpid()) + "-rank5-agent2.json"));
  }
  {
    variable const a("ARGOSY_TRACE", "everything"), b("ARGOSY_TRACE_FROM", "-1"), c("ARGOSY_TRACE_WRITE", "later");
    auto const o = trace_options::from_environment();
    CHECK(o.mode == trace_mode::off);
    CHECK(o.write == trace_write::gathered);
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
    {
      variable const a("ARGOSY_TRACE_WRITE", "sometimes");
      if (trace_options::from_environment().write != trace_write::gathered) return false;
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
  REQUIRE(complaints.size() == 4);
  CHECK_THAT(complaints[0], ContainsSubstring("ARGOSY_TRACE_FROM=12x is not understood (a file offset in bytes)"));
  CHECK_THAT(complaints[1], ContainsSubstring("99999999999999999999"));
  CHECK_THAT(complaints[3], ContainsSubstring("ARGOSY_TRACE_WRITE=sometimes is not understood (gathered or at_once)"));
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

TEST_CASE("a look for a file that may be missing is no error", "[trace]") {
  scratch const dir;
  for (trace_format const format : {trace_format::text, trace_format::chrome}) {
    scratch const traces;
    auto const to = std::make_shared<io::tracer>(
        trace_options{.mode = trace_mode::calls, .format = format, .directory = traces.string()});
    auto const open = io::with_tracing(io::posix_opener(), to);
    std::error_code error;
    CHECK_FALSE(open(dir / "f", {.read = true, .may_be_missing = true}, error).is_open());
    CHECK(error == std::errc::no_such_file_or_directory);
    to->flush();
    auto const text = content_of(to->path());
    CHECK_THAT(text, !ContainsSubstring("ENOENT") && !ContainsSubstring("error"));
    CHECK_THAT(text, ContainsSubstring(format == trace_format::text ? "read -> missing" : "\"missing\":true"));
    CHECK_FALSE(open(dir / "f", {.read = true}, error).is_open());
    CHECK_THAT(content_of(to->path()), ContainsSubstring("ENOENT"));
  }
}

TEST_CASE("a read of what will be written back says so", "[trace]") {
  scratch const dir;
  for (trace_format const format : {trace_format::text, trace_format::chrome}) {
    scratch const traces;
    auto const to = std::make_shared<io::tracer>(
        trace_options{.mode = trace_mode::calls, .format = format, .directory = traces.string()});
    std::error_code error;
    io::any_handle f = io::with_tracing(io::posix_opener(), to)(dir / "f", read_write, error);
    std::vector<std::byte> memory(64);
    f.write(0, memory);
    f.read(0, memory);
    {
      io::detail::reading_to_merge const marked;
      f.read(0, memory);
    }
    f.read(0, memory);
    f.close();
    auto const lines = lines_of(content_of(to->path()));
    std::string const mark = format == trace_format::text ? "bytes=64 to merge -> 64" : "\"detail\":\"to merge\"";
    CHECK(std::count_if(lines.begin(), lines.end(), [&](auto const& l) { return l.find(mark) != l.npos; }) == 1);
  }
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
  to->flush();
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
  // several ranks in one; also beside those of another job
  o.program = "other";
  o.rank = 0;
  io::tracer(o).note("of another job");
  std::string const command =
      "cd " + traces.string() +
      " && (head -qn1 argosy-*-rank0.json | head -n1; grep -hs '^,' argosy-*.json; echo ']') > all.json";
  REQUIRE(std::system(command.c_str()) == 0);
  auto const all = content_of(traces / "all.json");
  CHECK(json::valid(all));
  CHECK_THAT(all, ContainsSubstring("\"pid\":0") && ContainsSubstring("\"pid\":1"));
}

TEST_CASE("a process that dies leaves its calls, if each is written at once", "[trace]") {
  scratch const dir, traces;
  int const died = in_child([&]() -> bool {
    trace_options const o{.mode = trace_mode::calls,
                          .format = trace_format::chrome,
                          .directory = traces.string(),
                          .write = trace_write::at_once};
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
  to->flush();
  CHECK(to->lines() == 4 * 101);
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
  t.flush();
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
  to->flush();
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
  to->flush();
  auto const text = content_of(to->path());
  CHECK_THAT(text, ContainsSubstring("-> 0 EINTR") && ContainsSubstring("-> 100"));
  CHECK(to->lines() == 3);
}

namespace {

// Calls that take no time: a slow machine makes no line older.
struct still_time {
  std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();

  void record(io::tracer& to, std::int64_t offset, std::error_code error = {},
              file_call kind = file_call::write) const {
    to.record({.kind = kind, .file = "f", .offset = offset, .begin = now, .end = now, .error = error});
  }
};

std::int64_t lines_in(std::string const& path) {
  auto const text = content_of(path);
  CHECK((text.empty() || text.back() == '\n'));
  return std::count(text.begin(), text.end(), '\n') - 2;  // the head
}

}  // namespace

TEST_CASE("lines gather until somebody may want them", "[trace][gathered]") {
  scratch const traces;
  still_time at;
  std::string path;
  {
    io::tracer to({.mode = trace_mode::calls, .directory = traces.string()});
    at.now = std::chrono::steady_clock::now();
    auto const gather_two = [&] {
      std::int64_t const before = to.lines();
      for (int i = 0; i < 2; ++i) at.record(to, i);
      CHECK(to.lines() == before);
      CHECK(lines_in(to.path()) == before);
      return before;
    };
    auto const check = [&](std::int64_t lines) {
      CHECK(to.lines() == lines);
      CHECK(lines_in(to.path()) == lines);
    };
    SECTION("asked for") {
      auto const before = gather_two();
      to.flush();
      check(before + 2);
      to.flush();
      check(before + 2);
    }
    SECTION("an error") {
      auto const before = gather_two();
      at.record(to, 2, std::make_error_code(std::errc::io_error));
      check(before + 3);
      gather_two();
    }
    SECTION("a note") {
      auto const before = gather_two();
      to.note("here");
      check(before + 3);
    }
    SECTION("a file is closed") {
      auto const before = gather_two();
      at.record(to, -1, {}, file_call::close);
      check(before + 3);
    }
    SECTION("time has passed") {
      auto const before = gather_two();
      at.now += std::chrono::milliseconds(102);
      at.record(to, 2);
      check(before + 3);
      gather_two();
    }
    SECTION("there are many") {
      std::int64_t recorded = 0;
      while (to.lines() == 0 && recorded < 10'000) at.record(to, recorded++);
      check(recorded);
      auto const size = std::filesystem::file_size(to.path());
      CHECK(size >= 64 << 10);
      CHECK(size < 66 << 10);
      gather_two();
    }
    path = to.path();
    at.record(to, 4711);
  }
  CHECK_THAT(content_of(path), ContainsSubstring("offset=4711"));
}

TEST_CASE("phases gather, too, and closing a file writes them", "[trace][gathered]") {
  scratch const dir, traces;
  auto const to = std::make_shared<io::tracer>(trace_options{.mode = trace_mode::phases, .directory = traces.string()});
  std::error_code error;
  io::any_handle f = io::with_tracing(io::posix_opener(), to)(dir / "f", read_write, error);
  auto const now = std::chrono::steady_clock::now();
  std::vector<io::detail::traced_phase> const phases{{io::detail::phase::call, {.name = "write_at"}, now, now},
                                                     {io::detail::phase::file, {.bytes = 8}, now, now}};
  std::vector<io::detail::traced_message> const messages{{io::detail::message_end::sent, 1, 8, now}};
  to->record(phases, messages, "f");
  to->record(phases, messages, "f");
  to->record({}, {}, "f");
  f.write(0, data);  // no phase: not recorded
  CHECK(to->lines() == 0);
  f.close();
  CHECK(to->lines() == 6);
  auto const text = content_of(to->path());
  CHECK_THAT(text, ContainsSubstring("call:write_at \"f\" -> ok") && ContainsSubstring("file:file \"f\" bytes=8") &&
                       ContainsSubstring("number=0") && ContainsSubstring("number=1"));
}

TEST_CASE("with at_once, and of errors, no line waits", "[trace][gathered]") {
  scratch const traces;
  still_time const at;
  io::tracer to({.mode = trace_mode::calls, .directory = traces.string(), .write = trace_write::at_once});
  io::tracer errors({.mode = trace_mode::errors, .directory = traces.string(), .rank = 1});
  for (int i = 1; i < 5; ++i) {
    at.record(to, i);
    CHECK(to.lines() == i);
    CHECK(lines_in(to.path()) == i);
    at.record(errors, i, std::make_error_code(std::errc::io_error));
    CHECK(lines_in(errors.path()) == i);
  }
}

TEST_CASE("of what does not fit whole lines stay, and are counted", "[trace][gathered][errors]") {
  scratch const traces;
  auto const fill = [](io::tracer& to) {
    still_time const at;
    for (int i = 0; i < 3000; ++i) at.record(to, i);
    to.flush();
    std::int64_t const lines = to.lines();
    for (int i = 0; i < 3000; ++i) at.record(to, i);  // it has ended
    return to.lines() == lines && lines > 500 && lines < 2500 && lines_in(to.path()) == lines;
  };
  for (auto const write : {trace_write::gathered, trace_write::at_once}) {
    SECTION(write == trace_write::gathered ? "a full disk" : "a full disk, line by line") {
      io::test::small_tmpfs const fs(traces / "mount", "size=100k");
      if (!fs.mounted()) return io::test::skipped("no right to mount a tmpfs");
      io::tracer to({.mode = trace_mode::calls, .directory = traces / "mount", .write = write});
      CHECK(fill(to));
    }
    SECTION(write == trace_write::gathered ? "a size limit" : "a size limit, line by line") {
      CHECK(in_child([&] {
              rlimit const limit{100'000, 100'000};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              io::tracer to({.mode = trace_mode::calls, .directory = traces.string(), .write = write});
              return fill(to) && std::filesystem::file_size(to.path()) > 99'000;
            }) == 0);
    }
  }
}

TEST_CASE("a process that is killed loses less than 64 KiB of lines, and no half ones", "[trace][gathered]") {
  scratch const dir, traces;
  int const died = in_child([&]() -> bool {
    std::error_code error;
    io::any_handle f =
        io::with_tracing(io::posix_opener(), io::open_trace({.mode = trace_mode::calls, .directory = traces.string()}))(
            dir / "f", read_write, error);
    for (int i = 0; i < 5000; ++i) f.write(100 * i, data);
    ::kill(::getpid(), SIGKILL);
    return true;
  });
  CHECK(died == 1000 + SIGKILL);
  auto const calls = static_cast<std::int64_t>(std::filesystem::file_size(dir / "f")) / 100;
  CHECK(calls == 5000);
  std::string const path = only_file(traces.string());
  std::int64_t const lines = lines_in(path);
  auto const length = static_cast<std::int64_t>(std::filesystem::file_size(path)) / (lines + 2);
  CHECK(lines <= calls + 1);  // open
  CHECK((calls + 1 - lines) * length < 66 << 10);
}

TEST_CASE("exit writes what has gathered, also of files that are never closed", "[trace][gathered]") {
  scratch const dir, traces;
  int const ended = in_child([&]() -> bool {
    std::error_code error;
    auto* const leaked = new io::any_handle(
        io::with_tracing(io::posix_opener(), io::open_trace({.mode = trace_mode::calls, .directory = traces.string()}))(
            dir / "f", read_write, error));
    for (int i = 0; i < 10; ++i) leaked->write(100 * i, data);
    std::exit(0);
  });
  CHECK(ended == 0);
  CHECK(lines_in(only_file(traces.string())) == 11);
}

TEST_CASE("exit from the handler of a signal ends, wherever the signal came", "[trace][gathered]") {
  scratch const traces;
  for (int i = 0; i < 10; ++i)
    CHECK(in_child([&]() -> bool {
            std::signal(SIGALRM, [](int) { std::exit(0); });
            auto const to = io::open_trace({.mode = trace_mode::calls, .directory = traces.string()});
            ::ualarm(static_cast<useconds_t>(2000 + 300 * i), 0);
            still_time const at;
            for (;;) at.record(*to, 0);
          }) == 0);
  for (auto const& file : std::filesystem::directory_iterator(traces.string())) lines_in(file.path().string());
}

TEST_CASE("a child does not write what its parent has gathered", "[trace][gathered]") {
  scratch const traces;
  for (auto const format : {trace_format::text, trace_format::chrome}) {
    std::string path;
    {
      still_time const at;
      auto to = std::make_unique<io::tracer>(
          trace_options{.mode = trace_mode::calls, .format = format, .directory = traces.string()});
      at.record(*to, 1111);
      CHECK(in_child([&] {
              to->flush();
              if (to->lines() != 0) return false;
              at.record(*to, 2222);
              to->flush();
              if (to->lines() != 1) return false;
              to.reset();  // the parent writes the last ']'
              return true;
            }) == 0);
      CHECK(in_child([&] {
              to.reset();
              return true;
            }) == 0);
      at.record(*to, 3333);
      path = to->path();
    }
    auto const text = content_of(path);
    for (char const* const number : {"1111", "2222", "3333"}) {
      std::string const offset = (format == trace_format::text ? "offset=" : "\"offset\":") + std::string(number);
      CAPTURE(offset);
      auto const first = text.find(offset);
      CHECK(first != std::string::npos);
      CHECK(text.find(offset, first + 1) == std::string::npos);
    }
    if (format == trace_format::chrome) CHECK(json::valid(text));
    std::filesystem::remove(path);
  }
}
