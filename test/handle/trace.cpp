// Traces: the content of a line, and which ranks write to which file.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/errc.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/handle/tracing.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "handle/trace_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::file_call;
using io::extend::lock_kind;
using io::extend::trace_mode;
using io::extend::trace_options;
using namespace io::test;

TEST_CASE("errors have names", "[trace]") {
  CHECK(io::extend::error_name({ENOSPC, std::system_category()}) == "ENOSPC");
  CHECK(io::extend::error_name(std::make_error_code(std::errc::io_error)) == "EIO");
  CHECK(io::extend::error_name({}) == "");
  CHECK_THAT(io::extend::error_name(io::errc::truncated), ContainsSubstring("argosy"));
  CHECK(io::extend::error_name({4711, std::generic_category()}) == "errno 4711");
}

TEST_CASE("every call is a line", "[trace]") {
  scratch const dir, traces;
  {
    auto const to = std::make_shared<io::extend::tracer>(trace_options{.mode = trace_mode::calls,
                                                                       .directory = traces.string(),
                                                                       .program = "p",
                                                                       .rank = 3,
                                                                       .agent = "writer"});
    std::error_code error;
    io::extend::any_handle f =
        io::with_tracing(io::posix_opener(), to)(dir / "f", read_write, error);
    CHECK(f.is_open());
    use(f);
    to->note("phase\ntwo");
    io::with_tracing(io::posix_opener(), to)(dir / "no/f", read_write, error);
    CHECK(to->lines() == 13);
  }
  std::string text = content_of(only_file(traces.string()));
  std::regex const place(R"("pid":3,"tid":\d+,"ts":\d{16}\.\d{3})");
  std::regex const of_call(R"(@,"dur":\d+\.\d{3},"args":\{"file":"[^"]*/f")");
  text = std::regex_replace(text, place, "@");
  text = std::regex_replace(text, of_call, "#");
  text = std::regex_replace(text, std::regex(R"(pid \d+ on [^")]+)"), "pid N on H");
  CHECK(text == R"x([{"name":"argosy","ph":"M","pid":3,"args":{}}
,{"name":"process_name","ph":"M","pid":3,"args":{"name":"rank 3 writer (p, pid N on H)",)x"
                R"x("trace":"rank 3 writer of p, pid N on H","mode":"calls"}}
,{"name":"process_sort_index","ph":"M","pid":3,"args":{"sort_index":3}}
,{"name":"open","cat":"file","ph":"X",#,"detail":"read write create"}}
,{"name":"write","cat":"file","ph":"X",#,"offset":0,"bytes":100,"result":100}}
,{"name":"write","cat":"file","ph":"X",#,"offset":200,"bytes":120,"runs":2,"at":"200+20,300+100",)x"
                R"x("result":120}}
,{"name":"read","cat":"file","ph":"X",#,"offset":50,"bytes":1000,"result":350}}
,{"name":"lock","cat":"file","ph":"X",#,"offset":0,"bytes":10,"detail":"exclusive"}}
,{"name":"unlock","cat":"file","ph":"X",#,"offset":0,"bytes":10}}
,{"name":"size","cat":"file","ph":"X",#,"result":400}}
,{"name":"resize","cat":"file","ph":"X",#,"bytes":50}}
,{"name":"preallocate","cat":"file","ph":"X",#,"bytes":60}}
,{"name":"sync","cat":"file","ph":"X",#}}
,{"name":"close","cat":"file","ph":"X",#}}
,{"name":"phase\u000atwo","cat":"note","ph":"i","s":"p",@}
,{"name":"open","cat":"error","ph":"X",#,"detail":"read write create","error":"ENOENT",)x"
                R"x("message":"No such file or directory"}}
]
)x");
}

TEST_CASE("errors only, and no file without one", "[trace]") {
  scratch const dir, traces;
  trace_options const o{
      .mode = trace_mode::errors, .from_offset = 1 << 20, .directory = traces.string()};
  auto const to = std::make_shared<io::extend::tracer>(o);
  auto const script = std::make_shared<io::fault_script>();
  auto const open = io::with_tracing(io::with_faults(io::posix_opener(), script), to);
  std::error_code error;
  io::extend::any_handle f = open(dir / "f", read_write, error);
  use(f);
  CHECK(std::filesystem::is_empty(traces.string()));
  script->clear();
  script->add(io::fail_at(file_call::write, 1, std::errc::no_space_on_device));
  script->add(io::fail_at(file_call::sync, 1, std::errc::io_error));
  f = open(dir / "f", read_write, error);
  use(f);
  auto const text = content_of(only_file(traces.string()));
  CHECK(to->lines() == 2);
  CHECK_THAT(text, ContainsSubstring(R"("name":"write","cat":"error")") &&
                       ContainsSubstring(R"("offset":0,"bytes":100,"result":0,"error":"ENOSPC")") &&
                       ContainsSubstring(R"("name":"sync","cat":"error")") &&
                       ContainsSubstring(R"("error":"EIO")"));
}

TEST_CASE("a look for a file that may be missing is no error", "[trace]") {
  scratch const dir, traces;
  auto const to = std::make_shared<io::extend::tracer>(
      trace_options{.mode = trace_mode::calls, .directory = traces.string()});
  auto const open = io::with_tracing(io::posix_opener(), to);
  std::error_code error;
  CHECK_FALSE(open(dir / "f", {.read = true, .may_be_missing = true}, error).is_open());
  CHECK(error == std::errc::no_such_file_or_directory);
  to->flush();
  auto const text = content_of(to->path());
  CHECK_THAT(text, !ContainsSubstring("ENOENT") && !ContainsSubstring("error"));
  CHECK_THAT(text, ContainsSubstring("\"missing\":true"));
  CHECK_FALSE(open(dir / "f", {.read = true}, error).is_open());
  CHECK_THAT(content_of(to->path()), ContainsSubstring("ENOENT"));
}

TEST_CASE("a read of what will be written back says so", "[trace]") {
  scratch const dir, traces;
  auto const to = std::make_shared<io::extend::tracer>(
      trace_options{.mode = trace_mode::calls, .directory = traces.string()});
  std::error_code error;
  io::extend::any_handle f = io::with_tracing(io::posix_opener(), to)(dir / "f", read_write, error);
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
  CHECK(std::count_if(lines.begin(), lines.end(), [](std::string const& line) {
          return line.find("\"bytes\":64,\"detail\":\"to merge\"") != line.npos;
        }) == 1);
}

TEST_CASE("an error names the run in which it came, and of many runs the first are listed",
          "[trace]") {
  scratch const dir, traces;
  auto const to = std::make_shared<io::extend::tracer>(
      trace_options{.mode = trace_mode::errors, .directory = traces.string()});
  auto const script = std::make_shared<io::fault_script>();
  std::error_code error;
  io::extend::any_handle f = io::with_tracing(io::with_faults(io::posix_opener(), script), to)(
      dir / "f", read_write, error);
  script->fill_disk_at(310);
  std::vector<io::write_part> parts{
      {200, std::span(data).first(10)}, {210, std::span(data).first(10)}, {300, data}};
  CHECK(f.write(parts).bytes == 30);
  std::span<std::byte const> const few = std::span(data).first(5);
  parts = {{0, few}};
  for (std::int64_t i = 1; i < 40; ++i) parts.push_back({i * 10, few});
  CHECK(f.write(parts).bytes == 155);
  CHECK(to->lines() == 2);
  CHECK_THAT(content_of(to->path()),
             ContainsSubstring(
                 R"("at":"200+20,300+100","failed":"300+100","result":30,"error":"ENOSPC")") &&
                 ContainsSubstring(R"(300+5,310+5,...","failed":"310+5","result":155)"));
}

TEST_CASE("calls below an offset are left out, unless they fail", "[trace]") {
  scratch const dir, traces;
  trace_options const o{
      .mode = trace_mode::calls, .from_offset = 150, .directory = traces.string()};
  auto const to = std::make_shared<io::extend::tracer>(o);
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::fail_at(file_call::write, 2, std::errc::io_error));
  std::error_code error;
  io::extend::any_handle f = io::with_tracing(io::with_faults(io::posix_opener(), script), to)(
      dir / "f", read_write, error);
  f.write(0, data);   // below
  f.write(10, data);  // fails
  f.write(50, data);  // ends at 150: below
  f.write(60, data);  // reaches beyond
  f.write(500, data);
  to->flush();
  auto const text = content_of(to->path());
  CHECK(to->lines() == 4);  // includes the open
  for (char const* const there : {"\"offset\":10,", "\"offset\":60,", "\"offset\":500,"})
    CHECK_THAT(text, ContainsSubstring(there));
}

TEST_CASE("a trace is JSON, and also when it is cut off", "[trace]") {
  scratch const dir, traces;
  trace_options o{.mode = trace_mode::calls, .directory = traces.string()};
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    o.rank = rank;
    auto const to = std::make_shared<io::extend::tracer>(o);
    std::error_code error;
    io::extend::any_handle f =
        io::with_tracing(io::posix_opener(), to)(dir / "a \"quoted\" file", read_write, error);
    use(f);
    f.sync();  // the file is closed: an error
    to->note("half\ttime \"quoted\"");
    paths.push_back(to->path());
    // a process that died leaves the file without "]"
    CHECK(json::valid(content_of(to->path()) + "]"));
  }
  for (auto const& path : paths) {
    auto const text = content_of(path);
    CHECK(json::valid(text));
    CHECK_THAT(text, ContainsSubstring(R"("error":"EBADF")") && ContainsSubstring(R"("ph":"X")") &&
                         ContainsSubstring("process_name"));
  }
  // Lines of several ranks in one file, also with those of another job.
  o.program = "other";
  o.rank = 0;
  io::extend::tracer(o).note("of another job");
  std::string const command = "cd " + traces.string() +
                              " && (head -qn1 argosy-*-rank0.json | head -n1; grep -hs '^,' "
                              "argosy-*.json; echo ']') > all.json";
  REQUIRE(std::system(command.c_str()) == 0);
  auto const all = content_of(traces / "all.json");
  CHECK(json::valid(all));
  CHECK_THAT(all, ContainsSubstring("\"pid\":0") && ContainsSubstring("\"pid\":1"));
}

TEST_CASE("both ends of a message have one id, which no other has", "[trace]") {
  using io::detail::message_end;
  scratch const traces;
  auto const now = std::chrono::steady_clock::now();
  std::vector<std::pair<int, int>> const from_to{{3, 4}, {3, 4}, {4, 3}, {4, 3}, {3, 5}};
  std::map<std::string, int> sent, received;
  for (int const rank : {3, 4, 5}) {
    io::extend::tracer to({.mode = trace_mode::phases,
                           .directory = traces.string(),
                           .rank = rank,
                           .write = io::detail::trace_write::at_once});
    std::vector<io::detail::traced_message> messages;
    for (auto const& [source, target] : from_to) {
      if (source == rank) messages.push_back({message_end::sent, target, 8, now});
      if (target == rank) messages.push_back({message_end::received, source, 8, now});
    }
    to.record({}, messages, "f");
    auto const text = content_of(to.path());
    std::regex const event(R"x("ph":"(s|f)".*"id":"(0x[0-9a-f]+)")x");
    for (std::sregex_iterator at(text.begin(), text.end(), event), end; at != end; ++at)
      ++((*at)[1] == "s" ? sent : received)[(*at)[2]];
  }
  CHECK(sent.size() == from_to.size());
  CHECK(sent == received);
  for (auto const& [id, times] : sent) CHECK(times == 1);
}

TEST_CASE("one file per rank, for all its handles and threads", "[trace]") {
  scratch const dir, traces;
  trace_options const o{.mode = trace_mode::calls, .directory = traces.string(), .rank = 9};
  auto const to = io::extend::open_trace(o);
  CHECK(io::extend::open_trace(o) == to);
  std::vector<std::thread> pool;
  for (int t = 0; t < 4; ++t)
    pool.emplace_back([&, t] {
      std::error_code error;
      io::extend::any_handle f = io::with_tracing(io::posix_opener(), io::extend::open_trace(o))(
          dir / std::to_string(t), read_write, error);
      for (int i = 0; i < 100; ++i) f.write(i, data);
    });
  for (auto& t : pool) t.join();
  to->flush();
  CHECK(to->lines() == 4 * 101);
  auto const lines = lines_of(content_of(only_file(traces.string())));
  CHECK(lines.size() == 3 + 4 * 101);
  for (auto const& line : lines) CHECK(json::valid(line.substr(1)));
}

TEST_CASE("a line stays a line, whatever a program is called", "[trace]") {
  scratch const dir;
  trace_options o;
  o.mode = trace_mode::calls;
  o.directory = dir.string();
  o.program = "two\nlines";
  io::extend::tracer t(o);
  t.record({.file = "a\nname"});
  t.flush();
  CHECK(lines_of(content_of(t.path())).size() == 4);
}

TEST_CASE("a second tracer of the same name does not disturb the first", "[trace]") {
  scratch const traces;
  trace_options const o{.mode = trace_mode::calls, .directory = traces.string()};
  io::extend::tracer a(o), b(o);
  a.note("first");
  b.note("second");
  CHECK(a.path() != b.path());
  CHECK_THAT(content_of(a.path()), ContainsSubstring("first") && !ContainsSubstring("second"));
  CHECK_THAT(content_of(b.path()), ContainsSubstring("second"));
}

TEST_CASE("the line of an open says how, and any name can be written", "[trace]") {
  scratch const dir, traces;
  auto const to = std::make_shared<io::extend::tracer>(
      trace_options{.mode = trace_mode::calls, .directory = traces.string()});
  auto const open = io::with_tracing(io::posix_opener(), to);
  std::error_code error;
  std::string const name = dir / "a \"b\" \\c\n";
  open(name, {.write = true, .create = true, .exclusive = true}, error);
  open(name, {.read = true}, error);
  open(name, {.write = true}, error);
  open(name, read_write, error);
  CHECK_FALSE(error);
  to->note("one\ntwo");
  auto const text = content_of(to->path());
  CHECK(json::valid(text + "]"));
  CHECK_THAT(text, ContainsSubstring("a \\\"b\\\" \\\\c\\u000a"));
  auto const lines = lines_of(text);
  REQUIRE(lines.size() == 8);  // three of them are the head
  char const* const how[] = {"\"write create exclusive\"", "\"read\"", "\"write\"",
                             "\"read write create\""};
  for (std::size_t i = 0; i < 4; ++i)
    CHECK_THAT(lines[3 + i], ContainsSubstring("\"detail\":" + std::string(how[i])));
  CHECK_THAT(lines[7], ContainsSubstring("one\\u000atwo"));
}

TEST_CASE("a tracer that is off writes nothing, also when it is told", "[trace]") {
  scratch const dir, traces;
  auto const to = std::make_shared<io::extend::tracer>(
      trace_options{.mode = trace_mode::off, .directory = traces.string()});
  CHECK(to->options().mode == trace_mode::off);
  to->note("nothing");
  std::error_code error;
  io::extend::any_handle f = io::with_tracing(io::posix_opener(), to)(dir / "f", read_write, error);
  use(f);
  CHECK(to->lines() == 0);
  CHECK(std::filesystem::is_empty(traces.string()));
}

TEST_CASE("a lock without end and a list without parts are lines, too", "[trace]") {
  scratch const dir, traces;
  auto const to = std::make_shared<io::extend::tracer>(
      trace_options{.mode = trace_mode::calls, .from_offset = 1000, .directory = traces.string()});
  std::error_code error;
  io::extend::tracing f(io::posix::open(dir / "f", read_write, error), to, "f");
  CHECK_FALSE(f.lock(100, INT64_MAX, lock_kind::shared));
  CHECK_FALSE(f.lock(10, 20, lock_kind::shared));  // ends before 1000
  CHECK(f.write(std::span<io::write_part const>()).bytes == 0);
  to->flush();
  CHECK(to->lines() == 1);
  CHECK_THAT(content_of(to->path()),
             ContainsSubstring(R"("offset":100,"bytes":9223372036854775807,"detail":"shared")"));
}

TEST_CASE("around a raw handle, the calls to the system are seen", "[trace]") {
  scratch const dir, traces;
  trace_options const o{.mode = trace_mode::calls, .directory = traces.string()};
  auto const to = std::make_shared<io::extend::tracer>(o);
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::interrupt_at(file_call::write, 1, 2));
  std::error_code error;
  io::extend::retrying f(io::extend::tracing(
      io::extend::faulty(io::extend::raw_posix::open(dir / "f", read_write, error), script), to,
      "f"));
  CHECK(f.write(0, data).bytes == 100);
  to->flush();
  auto const text = content_of(to->path());
  CHECK_THAT(text, ContainsSubstring(R"("result":0,"error":"EINTR")") &&
                       ContainsSubstring(R"("result":100)"));
  CHECK(to->lines() == 3);
}
