// argosy trace: traces as the library writes them, merged and evaluated.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/tracing.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tools/argosy/command.hpp>
#include <tools/argosy/json.hpp>
#include <tools/argosy/trace_events.hpp>

#include "support/catch.hpp"
#include "support/expected.hpp"
#include "support/files.hpp"
#include "support/run_tool.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::test::run_tool;
using io::test::tool_outcome;
using json_value = boost::json::value;

namespace {

// Traces a rank that writes 100 separate pieces, merges a window, and gets one error. Returns the
// trace.
std::string traced(argosy::test::scratch const& dir, int rank) {
  io::extend::trace_options o{.mode = io::extend::trace_mode::calls,
                              .directory = dir.string(),
                              .program = "p",
                              .rank = rank};
  auto const to = std::make_shared<io::extend::tracer>(o);
  std::error_code error;
  io::extend::any_handle f = io::with_tracing(io::posix_opener(), to)(
      dir / "a \"file\"", {.read = true, .write = true, .create = true}, error);
  REQUIRE_FALSE(error);
  std::vector<std::byte> small(64), large(8192);
  for (int i = 0; i < 100; ++i) REQUIRE(f.write(4096 * i, small).bytes == 64);
  REQUIRE_FALSE(f.lock(0, 8192, io::extend::lock_kind::exclusive));
  {
    io::detail::reading_to_merge const merging;
    REQUIRE(f.read(0, large).bytes == 8192);
  }
  REQUIRE(f.write(0, large).bytes == 8192);
  REQUIRE_FALSE(f.unlock(0, 8192));
  REQUIRE(f.read(0, large).bytes == 8192);  // not merged
  std::vector<io::write_part> const parts{{0, small}, {8192, small}};
  REQUIRE(f.write(parts).bytes == 128);
  CHECK(f.read(-1, small).error);
  REQUIRE_FALSE(f.close());
  return to->path();
}

std::string head(int rank, std::string const& trace, std::string const& mode = "calls") {
  constexpr char const* form =
      R"x([{{"name":"process_name","ph":"M","pid":{0},"args":{{"name":"rank {0} ({1})",)x"
      R"x("trace":"rank {0} of {1}","mode":"{2}"}}}})x";
  return fmt::format(form, rank, trace, mode) + "\n";
}

// Returns an event of a rank that began `begin_ns` after a full second.
std::string event(int rank, std::string const& category, std::string const& name,
                  std::int64_t begin_ns, std::int64_t took_ns, std::string const& arguments,
                  std::string const& kind = "X") {
  constexpr char const* form = R"(,{{"name":"{}","cat":"{}","ph":"{}","pid":{},"tid":0,)"
                               R"("ts":1790000000{:06}.{:03},"dur":{}.{:03},"args":{{{}}}}})";
  return fmt::format(form, name, category, kind, rank, begin_ns / 1000, begin_ns % 1000,
                     took_ns / 1000, took_ns % 1000, arguments) +
         "\n";
}

}  // namespace

TEST_CASE("traces of several ranks are summed by call and by rank", "[tool][trace]") {
  argosy::test::scratch const dir;
  std::vector<std::string> words{"trace"};
  for (int rank = 0; rank < 3; ++rank) words.push_back(traced(dir, rank));
  auto const json_words = [&] {
    auto all = words;
    all.emplace_back("--json");
    return all;
  }();
  tool_outcome const o = run_tool(json_words);
  CAPTURE(o.err, o.out);
  REQUIRE(o.code == 0);
  json_value const v = io::tool::parse_json(o.out);
  CHECK(v.at("ranks").as_int64() == 3);
  bool found = false;
  for (json_value const& call : v.at("calls").as_array()) {
    if (call.at("call").as_string() != "write") continue;
    found = true;
    CHECK(call.at("calls").as_int64() == 3 * 102);
    CHECK(call.at("bytes").as_int64() == 3 * (6400 + 8192 + 128));
    CHECK(call.at("runs").as_int64() == 3 * 103);
    CHECK(call.at("seconds").to_number<double>() > 0);
  }
  CHECK(found);
  auto const& small = v.at("small_calls").as_array();
  REQUIRE(small.size() == 3);
  CHECK(small[0].at("runs").as_int64() == 102);
  CHECK(small[0].at("file").as_string() == dir / "a \"file\"");
  CHECK(v.at("merging").at("reads").as_int64() == 3);
  CHECK(v.at("merging").at("bytes_read").as_int64() == 3 * 8192);
  CHECK(v.at("slowest_ranks").as_array().size() == 3);
  CHECK(v.at("unread_lines").as_array().empty());

  words.insert(words.end(), {"--perfetto", dir / "all.json", "--svg", dir / "all.svg"});
  tool_outcome const text = run_tool(words);
  CHECK(text.code == 0);
  CHECK_THAT(text.out,
             ContainsSubstring("slowest ranks") &&
                 ContainsSubstring("many calls of less than 4 KiB") &&
                 ContainsSubstring("read to be written back with changes: 24 KiB in 3 reads"));
  json_value const all = io::tool::parse_json(argosy::test::content_of(dir / "all.json"));
  std::size_t calls = 0;
  for (json_value const& e : all.at("traceEvents").as_array())
    calls += e.at("ph").as_string() == "X";
  CHECK(calls == 3 * 109);
  CHECK_THAT(argosy::test::content_of(dir / "all.svg"),
             ContainsSubstring("rank 2") && ContainsSubstring("</svg>"));
}

TEST_CASE("a rank number of several processes is told: their calls are one sum", "[tool][trace]") {
  argosy::test::scratch const dir;
  auto const trace_of = [](int rank, int pid) {
    return head(rank, fmt::format("p, pid {} on hostA", pid)) +
           event(rank, "file", "write", 0, 1000, R"("file":"a","offset":0,"bytes":2,"result":2)");
  };
  std::ofstream(dir / "a") << trace_of(0, 12);
  std::ofstream(dir / "b") << head(0, "p, pid 13 on hostA");
  std::ofstream(dir / "c") << trace_of(1, 12);
  std::ofstream(dir / "d") << trace_of(1, 12);  // another file of the same process
  std::vector<std::string> words{"trace", dir / "a", dir / "b", dir / "c", dir / "d"};
  tool_outcome const o = run_tool(words);
  CAPTURE(o.out, o.err);
  CHECK(o.code == 0);
  CHECK_THAT(
      o.out,
      ContainsSubstring(
          "rank 0 stands for 2 processes (pid 12 on hostA, pid 13 on hostA): their calls are "
          "summed together\n") &&
          !ContainsSubstring("rank 1 stands"));
  words.emplace_back("--json");
  json_value const v = io::tool::parse_json(run_tool(words).out);
  auto const& several = v.at("ranks_of_several_processes").as_array();
  REQUIRE(several.size() == 1);
  CHECK(several[0].at("rank").as_int64() == 0);
  CHECK(several[0].at("processes").as_array().size() == 2);
  tool_outcome const one = run_tool({"trace", dir / "a"});
  CHECK_THAT(one.out, ContainsSubstring("1 call of 1 rank in") && !ContainsSubstring("stands for"));
}

TEST_CASE("times of a trace are kept to the nanosecond", "[tool][trace]") {
  io::tool::trace t;
  io::tool::read_trace(
      "[{\"name\":\"argosy\",\"ph\":\"M\",\"pid\":0,\"args\":{}}\n"
      ",{\"name\":\"read\",\"cat\":\"file\",\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":"
      "1790000000123456.789,\"dur\":0.001,"
      "\"args\":{}}\n",
      "f", t);
  REQUIRE(t.events.size() == 1);
  CHECK(t.events[0].begin_ns == 1790000000123456789);
  CHECK(t.events[0].took_ns == 1);
  CHECK(t.events[0].rank == 7);
}

TEST_CASE("what a size returns is no transfer", "[tool][trace]") {
  argosy::test::scratch const dir;
  std::string const path = dir / "t";
  std::ofstream(path) << event(0, "file", "size", 1, 1000, R"("file":"f","result":4096)")
                      << event(0, "file", "read", 1001, 1000,
                               R"("file":"f","offset":0,"bytes":8,"result":5)");
  tool_outcome const o = run_tool({"trace", path, "--json"});
  REQUIRE(o.code == 0);
  json_value const v = io::tool::parse_json(o.out);
  for (json_value const& call : v.at("calls").as_array())
    CHECK(call.at("bytes").as_int64() == (call.at("call").as_string() == "read" ? 5 : 0));
}

TEST_CASE("the number of a round and what a call says of itself reach Perfetto", "[tool][trace]") {
  io::tool::trace t;
  io::tool::read_trace(
      event(0, "exchange", "round", 1000, 2000, R"("file":"f","number":3)") +
          event(0, "file", "read", 4000, 2000, R"("file":"f","offset":0,"detail":"to merge")"),
      "given", t);
  CHECK(t.faults.empty());
  std::string const all = io::tool::perfetto_json(t);
  CHECK_THAT(all,
             ContainsSubstring("\"number\":3") && ContainsSubstring("\"detail\":\"to merge\""));
}

TEST_CASE("times since 1970 are read from JSON to the last nanosecond", "[tool][trace]") {
  for (std::int64_t k = 0; k < 300; ++k) {
    std::int64_t const begin_ns = 1'790'000'000'000'000'000 + k * 1'001, took_ns = k * 7;
    io::tool::trace t;
    io::tool::read_trace(event(0, "file", "read", k * 1'001, took_ns, ""), "given", t);
    REQUIRE(t.events.size() == 1);
    CHECK(t.events[0].begin_ns == begin_ns);
    CHECK(t.events[0].took_ns == took_ns);
  }
}

TEST_CASE("a trace as text has a line for each call, phase, message and note", "[tool][trace]") {
  tool_outcome const o =
      run_tool({"trace", "--text", ARGOSY_TEST_EXPECTED_FILES "/trace_lines.json"});
  CHECK(o.err.empty());
  CHECK(o.code == 0);
  argosy::test::check_expected("trace_lines.txt", o.out);
}

TEST_CASE("torn lines are told and the rest is read; what is no trace is an error",
          "[tool][trace]") {
  argosy::test::scratch const dir;
  std::string const path = traced(dir, 0);
  std::string const whole = argosy::test::content_of(path);
  std::ofstream(dir / "torn") << whole.substr(0, whole.size() - 30);
  tool_outcome const o = run_tool({"trace", dir / "torn", "--json"});
  CHECK(o.code == 1);
  json_value const v = io::tool::parse_json(o.out);
  CHECK(v.at("unread_lines").as_array().size() == 1);
  CHECK(v.at("events").as_int64() == 108);
  tool_outcome const text = run_tool({"trace", dir / "torn", "--text"});
  CHECK(text.code == 1);
  CHECK(std::ranges::count(text.out, '\n') == 2 + 108);
  CHECK_THAT(text.err, ContainsSubstring("torn:112: JSON, at byte"));
  CHECK(run_tool({"trace", dir / "torn", "--text", "--json"}).code == 2);

  std::ofstream(dir / "letter") << "Dear Sir,\nno trace\n";
  CHECK(run_tool({"trace", dir / "letter"}).code == 1);
  CHECK_THAT(run_tool({"trace", dir / "letter"}).err, ContainsSubstring("is no trace of argosy"));
  CHECK_THAT(run_tool({"trace", dir / "missing"}).err,
             ContainsSubstring("cannot read") && ContainsSubstring("No such file"));
  tool_outcome const directory = run_tool({"trace", dir.string()});
  CHECK(directory.code == 1);
  CHECK(directory.err == "argosy: " + dir.string() +
                             " is a directory: give the trace files, for instance " +
                             (dir / "argosy-*.json") + "\n");
}

TEST_CASE("phases are told by their own time, with the rank that the others wait for",
          "[tool][trace]") {
  argosy::test::scratch const dir;
  std::vector<std::string> words{"trace"};
  for (int rank = 0; rank < 3; ++rank) {
    // A call of 100 ms. Rank 1 comes after 90 ms.
    int const waits = rank == 1 ? 1 : 91;
    words.push_back(dir / ("argosy-p-1-rank" + std::to_string(rank) + ".json"));
    std::ofstream out(words.back());
    out << head(rank, "p, pid 1 on here", "phases");
    auto const line = [&](int begin_ms, int ms, std::string const& category,
                          std::string const& name) {
      out << event(rank, category, name, begin_ms * 1'000'000, ms * 1'000'000, R"("file":"a")");
    };
    line(100 + 91 - waits, waits + 9, "call", "write_all");
    line(100 + 91 - waits, waits, "agreement", "agreement");
    line(100 + 91, 9, "exchange", "exchange");
    line(100 + 93, 4, "waiting", "waiting");
    line(100 + 98, 2, "file", "write");
  }
  tool_outcome const o = run_tool(words);
  INFO(o.out << o.err);
  CHECK(o.code == 0);
  CHECK_THAT(o.out,
             ContainsSubstring("agreement            3      183 ms      183 ms  rank 0: 91 ms"));
  CHECK_THAT(o.out,
             ContainsSubstring("exchange             3       27 ms        9 ms  rank 0: 3 ms"));
  CHECK_THAT(o.out,
             ContainsSubstring("the others wait for rank 1: it waits 5 ms, they 95 ms on average"));
  words.emplace_back("--json");
  json_value const all = io::tool::parse_json(run_tool(words).out);
  CHECK(all.at("waited_for_rank").as_int64() == 1);
  double own = 0, calls = 0;
  for (json_value const& p : all.at("phases").as_array()) {
    own += p.at("own_seconds").to_number<double>();
    if (p.at("phase").as_string() == "call") calls = p.at("seconds").to_number<double>();
  }
  for (json_value const& c : all.at("calls").as_array()) own += c.at("seconds").to_number<double>();
  CHECK(own == Approx(calls).epsilon(1e-6));
}

TEST_CASE("what is told and drawn of a trace is what people have looked at",
          "[tool][trace][expected]") {
  argosy::test::scratch const dir;
  for (int rank = 0; rank < 3; ++rank) {
    std::ofstream to(dir / ("t" + std::to_string(rank)));
    to << head(rank, fmt::format("p, pid 1{} on host", rank));
    auto const line = [&](int begin_us, int took_us, std::string const& category,
                          std::string const& name, std::string const& arguments,
                          std::string const& kind = "X") {
      to << event(rank, category, name, 1000 * begin_us, 1000 * took_us,
                  R"("file":"/data/)" + arguments, kind);
    };
    line(1000 * rank, 250, "file", "open", R"(a","detail":"read write create")");
    for (int i = 0; i < 16; ++i)
      line(4000 + 100 * i + rank, 40, "file", "write",
           fmt::format(R"(a","offset":{},"bytes":64,"result":64)", 4096 * i));
    line(6000, 500 * (rank + 1), "file", "lock",
         R"(a","offset":0,"bytes":8192,"detail":"exclusive")");
    line(8000, 5000, "call", "write_at_all",
         R"(a","offset":0,"bytes":8192,"number":7,"detail":"two_phase")");
    line(8000, 200 + 700 * ((rank + 1) % 3), "agreement", "begin", R"(a","number":7)");
    for (int from : {0, 2}) {
      if (rank == from)
        line(8950, 0, "message", "message", R"(a","bytes":64,"peer":1,"number":1)", "s");
      if (rank == 1)
        line(8960 + from, 0, "message", "message",
             fmt::format(R"(a","bytes":64,"peer":{},"number":1)", from), "f");
    }
    line(9000, 700, "file", "read",
         R"(a","offset":0,"bytes":8192,"detail":"to merge","result":8192)");
    line(9800, 900, "file", "write",
         R"(a","offset":0,"bytes":8192,"runs":2,"at":"0+4096,8192+4096","result":8192)");
    line(11000, 20, "file", "unlock", R"(a","offset":0,"bytes":8192)");
    if (rank == 2)
      line(11100, 30, "error", "read", R"(b","offset":0,"bytes":64,"result":0,"error":"EIO")");
    line(12000, 900 - 300 * rank, "file", "close", R"(a")");
  }
  tool_outcome const o = run_tool({"trace", dir / "t0", dir / "t1", dir / "t2", "--svg",
                                   dir / "s.svg", "--perfetto", dir / "p.json"});
  CAPTURE(o.err);
  REQUIRE(o.code == 0);
  argosy::test::check_expected("trace.txt", o.out);
  argosy::test::check_expected("trace.svg", argosy::test::content_of(dir / "s.svg"));
  argosy::test::check_expected("trace.json", argosy::test::content_of(dir / "p.json"));
}
