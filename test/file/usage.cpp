// ARGOSY_REPORT: the report of a file at its close, and reports over all ranks. One page because
// all cases check the numbers of one report.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/usage.hpp>
#include <argosy/file/file.hpp>
#include <argosy/file/summed_report.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/throttled.hpp>
#include <argosy/policy.hpp>
#include <argosy/world/self.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "file/usage_cases.hpp"
#include "support/shared_scratch.hpp"
#include "support/standard_error.hpp"

namespace io = argosy;
using Catch::Contains;
using namespace io::test;

TEST_CASE("a report is summed over ranks: least, mean, most and sum of each number",
          "[report][sum]") {
  io::mpi const world = everyone();
  int const n = world.size(), rank = world.rank();
  io::report mine{
      .policy = "sieving", .reason = "of rank " + std::to_string(rank), .bytes = 100 * (rank + 1)};
  mine.time_ns = 1000 * (n - rank);
  io::summed_report const all = io::summed(mine, MPI_COMM_WORLD);
  CHECK(all.policy == "sieving");
  CHECK(all.reason == "of rank 0");
  CHECK(all.one_policy);
  CHECK(all.of(&io::report::bytes).least == 100);
  CHECK(all.of(&io::report::bytes).most == 100 * n);
  CHECK(all.of(&io::report::bytes).sum == 50 * n * (n + 1));
  CHECK(all.of(&io::report::bytes).mean() == 50.0 * (n + 1));
  CHECK(all.of(&io::report::locks) == [&] {
    io::extend::rank_statistics none(0);
    none.ranks = n;
    return none;
  }());
  CHECK(all.mb_per_s() == Approx(50.0 * n * (n + 1) * 1e3 / (1000.0 * n)));
  std::string const text = to_table(all);
  CHECK_THAT(text,
             Contains("least") && Contains("bytes") && Contains("time_ns") && Contains(" MB/s"));
  // The mean of counts is printed with a fraction, the mean of times is rounded.
  mine.windows = rank == 0 ? 2 : 1;
  mine.time_ns = 1000 + rank;
  std::string const counts = to_table(io::summed(mine, MPI_COMM_WORLD));
  std::smatch found;
  REQUIRE(std::regex_search(counts, found, std::regex("\n  windows +[12] +([0-9.]+) ")));
  CHECK(found[1].str() == (n == 1   ? "2"
                           : n == 2 ? "1.5"
                           : n == 3 ? "1.3"
                           : n == 4 ? "1.2"
                                    : found[1].str()));
  CHECK(std::regex_search(counts, std::regex("\n  time_ns +[0-9]+ +[0-9]+ +[0-9]+ ")));
  mine.time_ns = 0;
  mine.policy = rank == 0 ? "sieving" : "other";
  io::summed_report const mixed = summed(mine, world);
  CHECK(mixed.one_policy == (n == 1));
  CHECK(mixed.mb_per_s() == 0);
  CHECK(to_table(mixed).find("time_ns") == std::string::npos);
  CHECK((to_table(mixed).find("others differ") == std::string::npos) == (n == 1));
}

namespace {

// Returns an opener whose writes take at least `least`.
io::opener slow(std::chrono::milliseconds least) {
  return io::with_throttle(io::posix_opener(),
                           std::make_shared<io::throttle>(io::throttle_rates{.latency = least}));
}

}  // namespace

TEST_CASE("the time that the program waited for a request lies between what clocks around it say",
          "[report][waited]") {
  using clock = std::chrono::steady_clock;
  auto const ns = [](clock::duration d) {
    return std::int64_t{std::chrono::nanoseconds(d).count()};
  };
  io::mpi const world = everyone();
  shared_scratch const here(world);
  bool const together = GENERATE(false, true);
  std::string const progress = GENERATE("always", "in_calls");
  CAPTURE(together, progress);
  io::hints how;
  how.set("argosy_progress", progress);
  io::file f =
      io::file::open(world, here / "data", making, how, slow(std::chrono::milliseconds(5)));
  std::vector<char> const some(1000, 'x');
  std::int64_t const at = 1000 * world.rank();

  auto const before = clock::now();
  io::request q = together ? f.iwrite_at_all(at, some) : f.iwrite_at(at, some);
  auto const begun = clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  auto const waits = clock::now();
  io::report const r = q.wait();
  auto const after = clock::now();
  CHECK(r.in_background);
  CHECK(r.time_ns > 0);
  CHECK(r.waited_ns > 0);
  CHECK(r.waited_ns <= ns(begun - before) + ns(after - waits));
  CHECK(r.time_ns <= r.waited_ns + ns(waits - before));
  // On one node a thread carries out the call, whatever the hint says.
  if (Contains("carried out where it was waited for").match(r.reason))
    CHECK(r.waited_ns >= r.time_ns);

  f.begin_write_at_all(at, some);
  io::report const split = f.end();
  CHECK(split.in_background);
  CHECK(split.waited_ns > 0);
  CHECK(f.write_at(at, some).waited_ns == 0);
  std::error_code error;
  io::report const wrong = f.iwrite_at(-1, some).wait(error);
  CHECK(error);
  CHECK_FALSE(wrong.in_background);
  f.close();

  auto g = io::basic_file<io::self>::open(io::self(), here / ("own" + std::to_string(world.rank())),
                                          making);
  io::report const alone = g.iwrite_at(0, some).wait();
  CHECK(alone.in_background);
  CHECK(alone.waited_ns > 0);
  g.close();
}

TEST_CASE("the report of a file says how long the program waited for calls in the background",
          "[report][usage][waited]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const to = here / "report";
  {
    asked const env(to);
    io::file f = io::file::open(world, here / "data", making);
    std::vector<char> const some(1000, 'x');
    f.write_at_all(1000 * world.rank(), some);
    f.close();
  }
  std::string const none = written(world, to);
  {
    asked const env(to);
    io::file f =
        io::file::open(world, here / "data", making, {}, slow(std::chrono::milliseconds(1)));
    std::vector<char> const some(1000, 'x');
    f.iwrite_at_all(1000 * world.rank(), some).wait();
    io::request dropped = f.iwrite_at(1000 * world.rank(), some);
    f.close();
  }
  std::string const text = written(world, to);
  if (world.rank() != 0) return;
  INFO(text);
  CHECK(none.find("the program waited") == std::string::npos);
  CHECK(std::regex_search(text, std::regex("\n    in the background  ( +[0-9.]+ [mnu]?s){3}\n"
                                           "      the program waited( +[0-9.]+ [mnu]?s){3}\n")));
}

TEST_CASE("the largest call, and small ones, are told with their place in the program",
          "[report][usage][where]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const to = here / "report";
  std::string at_large, at_small;
  {
    asked const env(to);
    io::file f = io::file::open(world, here / "data", making);
    std::vector<char> large(100'000, 'x'), small(100, 'y'), tiny(10, 'z');
    at_large = "usage.cpp:" + std::to_string(__LINE__ + 1);
    f.write_at(100'000 * world.rank(), large);
    f.write_at_all(100'000 * world.rank(), std::span(large).first(1000));
    at_small = "usage.cpp:" + std::to_string(__LINE__ + 1);
    for (int k = 0; k < 70; ++k) f.read_at(100 * k, small);
    for (int k = 0; k < 70; ++k) f.iwrite_at(100 * k, tiny).wait();
    f.close();
  }
  std::string const text = written(world, to);
  if (world.rank() != 0) return;
  INFO(text);
  CHECK_THAT(text, Contains("largest call\n  write_at at ") &&
                       Contains(at_large + " on rank 0: 100000 bytes"));
  CHECK_THAT(text, Contains("local reads of 100 bytes on average (the largest at ") &&
                       Contains(at_small + "): "));
  CHECK_THAT(text, Contains("local writes of "));
}

TEST_CASE("a call whose place is not known is told without one", "[report][usage][where]") {
  io::detail::usage counted("f", 0);
  counted.add(io::detail::operation::write_at, {.policy = "sieving", .bytes = 8}, false);
  io::detail::usage_report const r{.path = "f", .numbers = counted.numbers()};
  counted.told();
  CHECK_THAT(to_string(r), Contains("largest call\n  write_at on rank 0: 8 bytes, by sieving\n"));
}

TEST_CASE("of calls of one size on several ranks, the place is that of the lowest rank",
          "[report][usage][where]") {
  auto const numbers = [](int rank, std::int64_t bytes, io::extend::source_location const& where) {
    io::detail::usage counted("f", rank);
    counted.add(io::detail::operation::write_at, {.bytes = bytes}, false, 0, {}, where);
    counted.told();
    return counted.numbers();
  };
  auto const here = io::extend::source_location::current();
  auto const there = io::extend::source_location::current();
  auto all = numbers(2, 8, there);
  all.combine(numbers(1, 8, here));
  all.combine(numbers(0, 7, there));
  CHECK(all.largest.rank == 1);
  CHECK(all.largest.at.line == here.line());
  CHECK(all.rows[1].at.line == here.line());
  CHECK(all.rows[1].calls.sum == 3);
}

TEST_CASE("at close rank 0 tells the calls by kind, the largest, the file, the times, and advice",
          "[report][usage]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  int const n = world.size();
  int largest_line = 0;
  std::string const to = here / "report";
  {
    asked const env(to);
    io::file f = io::file::open(world, here / "data", making,
                                io::hints{.cb_nodes = 1, .named = {{"cb_bufer_size", "1"}}});
    std::vector<char> large(1 << 20, 'x'), small(100, 'y');
    std::int64_t const at = world.rank() * std::int64_t{1 << 20};
    largest_line = __LINE__ + 1;
    f.write_at_all(at, large, io::two_phase{});
    f.read_at_all(at, large, io::two_phase{});
    f.iwrite_at_all(at, large).wait();
    for (int i = 0; i < 100; ++i) f.write_at(at + 100 * i, small);
    if (world.rank() == 0) f.read_at(0, small);
    f.iread_at(at, small).wait();
    f.write_shared(small);
    f.write_ordered(small);
    f.begin_read_ordered(small);
    f.end();
    std::error_code error;
    f.write_at_all(world.rank() == 0 ? -1 : 0, small, error);
    f.close();
  }
  std::string const text = written(world, to);
  if (world.rank() != 0) return;
  INFO(text);
  std::int64_t const mib = 1 << 20;
  CHECK(text.starts_with("argosy report of '" + (here / "data") + "': " + std::to_string(n) +
                         (n == 1 ? " rank," : " ranks,")));
  CHECK_THAT(text, Contains("cb_bufer_size") && Contains("did you mean cb_buffer_size?"));
  CHECK(std::regex_search(text, std::regex("\n  cb_nodes +1 +")));
  using numbers = std::vector<std::int64_t>;
  numbers const one_way{2, 2, 2, n * mib};
  CHECK(row(text, "collective writes") >= one_way);
  CHECK(row(text, "collective writes")[3] == n * mib);
  CHECK_THAT(text, Contains(io::detail::counted(n, "failure")));
  CHECK(row(text, "collective reads")[3] == n * mib);
  CHECK(row(text, "collective writes, in the background")[3] == n * mib);
  CHECK(row(text, "local writes") == numbers{100, 100, 100, n * 10'000, n * 100});
  CHECK(row(text, "local reads") == numbers{n == 1 ? 1 : 0, n == 1 ? 1 : 0, 1, 100, 1});
  CHECK(row(text, "local reads, in the background") == numbers{1, 1, 1, n * 100, n});
  CHECK(row(text, "shared writes") == numbers{1, 1, 1, n * 100, n});
  CHECK(row(text, "ordered writes")[3] == n * 100);
  CHECK(row(text, "ordered reads, in the background")[0] == 1);
  CHECK(row(text, "shared reads").empty());
  CHECK_THAT(text, Contains("largest call\n  write_at_all at ") &&
                       Contains("usage.cpp:" + std::to_string(largest_line) +
                                " on rank 0: 1048576 bytes, by two_phase\n  because: "));
  CHECK_THAT(text, Contains("times per rank") && Contains("in all calls") &&
                       Contains("agreement") && Contains("waiting for ranks") &&
                       Contains("locks") && Contains("exchange, the rest"));
  bool const crowded =
      text.find(": ranks wait for a processor, so times tell little") != std::string::npos;
  CHECK(crowded == (text.find("a plain copy of each rank's bytes in memory takes about ") ==
                    std::string::npos));
  CHECK(std::regex_search(text, std::regex("\n  windows of [0-9]+ bytes, moved by [1-9] of " +
                                           io::detail::counted(n, "rank") + "\n")));
  CHECK(std::regex_search(text, std::regex("rounds? of exchange, by [1-9].* aggregators?, ")));
  CHECK((text.find("    for later ranks") != std::string::npos) == (n > 1));
  CHECK_THAT(text, Contains("- " + std::to_string(100 * n) +
                            " local writes of 100 bytes on average (the largest at ") &&
                       Contains("set_view was never called"));
  CHECK_THAT(text, Contains("- hint cb_bufer_size is ignored: unknown"));
}

TEST_CASE("no report is made where nobody asks, and all ranks make one where one asks",
          "[report][usage]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const to = here / "report";
  std::vector<char> const data(10);
  auto const use = [&] {
    io::file f = io::file::open(world, here / "data", making);
    f.set_view(0, io::type<char>);
    CHECK((f.write_at(world.rank() * 10, data).time_ns > 0) ==
          (std::getenv("ARGOSY_REPORT") != nullptr || world.size() > 1));
    f.close();
  };
  {
    asked const off("0");
    io::file f = io::file::open(world, here / "data", making);
    CHECK(f.write_at(0, data).time_ns == 0);
    f.close();
  }
  // Rank 0 decides where the report goes. The variable is set on rank 0, or only on the last rank;
  // then the report goes to standard error.
  {
    asked const env(to, world.rank() == 0);
    use();
  }
  CHECK_THAT(written(world, to), Contains(world.rank() == 0 ? "open for" : ""));
  if (world.size() > 1) {
    asked const env(here / "nobody", world.rank() == world.size() - 1);
    use();
  }
  CHECK(written(world, here / "nobody").empty());
}

TEST_CASE(
    "reports of several files are added to one file, and a place that cannot be written is told",
    "[report][usage]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const to = here / "report";
  {
    asked const env(to);
    for (std::string const name : {"first", "second"})
      io::file::open(world, here / name, making).close();
  }
  std::string const text = written(world, to);
  if (world.rank() == 0)
    CHECK_THAT(text, Contains("/first'") && Contains("/second'") &&
                         Contains("no data was read or written"));
  asked const env(here / "no/such/directory");
  io::file f = io::file::open(world, here / "first", making);
  f.close();  // goes to standard error
  CHECK_FALSE(f.is_open());
}

TEST_CASE(
    "a report that cannot be written, or would follow the link of another user, comes to standard "
    "error",
    "[report][usage][error]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const target = here / "target", common = here / "common", pipe = here / "pipe";
  if (world.rank() == 0) {
    std::ofstream(target) << "as it was\n";
    std::filesystem::create_directory(common);
    std::filesystem::permissions(common, std::filesystem::perms(01777));
    for (std::string const name : {"/mine", "/anothers"})
      REQUIRE(::symlink(target.c_str(), (common + name).c_str()) == 0);
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  }
  world.barrier();
  bool const other = ::geteuid() == 0;
  if (other && world.rank() == 0)
    REQUIRE(::lchown((common + "/anothers").c_str(), 65534, 65534) == 0);
  auto const said_for = [&](std::string const& to) {
    asked const env(to);
    return errors_of([&] { io::file::open(world, here / "data", making).close(); });
  };
  std::vector<std::string> places{"/dev/full", pipe};
  if (other) places.push_back(common + "/anothers");
  for (std::string const& to : places) {
    CAPTURE(to);
    std::string const said = said_for(to);
    if (world.rank() != 0) continue;
    CHECK_THAT(said, Contains("ARGOSY_REPORT=" + to) && Contains("the report comes here") &&
                         Contains("no data was read or written"));
  }
  CHECK(written(world, target) == (world.rank() == 0 ? "as it was\n" : ""));
  CHECK(said_for(common + "/mine").empty());
  std::string const mine = written(world, target);
  if (world.rank() == 0)
    CHECK_THAT(mine, Contains("as it was\n") && Contains("no data was read or written"));
}

TEST_CASE("a close that fails tells its report, and fails", "[report][usage][error]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const to = here / "report";
  {
    asked const env(to);
    auto const script = std::make_shared<io::fault_script>();
    if (world.rank() == world.size() - 1)
      script->add(io::fail_at(io::file_call::close, 1, std::errc::io_error));
    io::file f = io::file::open(world, here / "data", making | io::mode::delete_on_close, {},
                                io::with_faults(io::posix_opener(), script));
    std::error_code error;
    f.close(error);
    CHECK(error ==
          (world.rank() == world.size() - 1 ? io::errc::io : io::errc::error_on_another_rank));
    CHECK_FALSE(f.is_open());
  }
  std::string const text = written(world, to);
  if (world.rank() == 0)
    CHECK_THAT(text, Contains("close failed: argosy: close of '") && Contains("EIO"));
}

TEST_CASE("local calls that fail by their arguments count, too", "[report][usage]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const to = here / "report";
  {
    asked const env(to);
    io::file f = io::file::open(world, here / "data", making);
    std::vector<char> data(10);
    std::error_code error;
    for (int i = 0; i < 3; ++i) f.write_at(-1, data, error);
    f.iread_at(-1, data).wait(error);
    f.close();
  }
  std::string const text = written(world, to);
  INFO(text);
  if (world.rank() != 0) return;
  CHECK_THAT(text, Contains(std::to_string(4 * world.size()) + " calls failed"));
  REQUIRE(row(text, "local writes").size() == 5);
  CHECK(row(text, "local writes")[0] == 3);
}

TEST_CASE(
    "hints that another rank was given are in the report, and calls that fail give no advice on "
    "time",
    "[report][usage]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const to = here / "report";
  int const last = world.size() - 1;
  {
    asked const env(to);
    io::hints given;
    if (world.rank() == last) given.set("cb_bufer_size", "1").set("ind_rd_buffer_size", "x");
    io::file f = io::file::open(world, here / "data", making, given);
    std::vector<char> const data(10);
    std::error_code error;
    for (int i = 0; i < 3; ++i) {
      if (world.rank() == last) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      f.write_at_all(-1, data, error);
    }
    f.close();
  }
  std::string const text = written(world, to);
  INFO(text);
  if (world.rank() != 0) return;
  CHECK_THAT(text,
             Contains("calls failed") && !Contains("comes last:") && !Contains("% of the time"));
  CHECK_THAT(text, !Contains("largest call") && !Contains("because:"));
  CHECK_THAT(text, Contains("did you mean cb_buffer_size?"));
  if (world.size() > 1)
    CHECK_THAT(text, Contains("  none was given\n  on rank " + std::to_string(last) + " only:\n") &&
                         Contains("  ind_rd_buffer_size = 4194304, rejected: "));
}

TEST_CASE("a table over ranks has all parts of the time, and no sum of what ranks did together",
          "[report][sum]") {
  io::report mine{.policy = "two_phase", .rounds = 1};
  mine.time_ns = 100;
  mine.file_ns = 30;
  mine.waiting_ns = 50;
  std::string const text = to_table(io::summed(mine, everyone()));
  INFO(text);
  CHECK(std::regex_search(
      text, std::regex("\n  exchange_ns +20 +20 +20 +" + std::to_string(20 * everyone().size()))));
  CHECK(std::regex_search(text, std::regex("\n  rounds +1 +1 +1 *\n")));
}

namespace {

// Calls f. Returns, on rank 0, what all ranks write to standard error meanwhile.
template <class F>
std::string said(io::mpi const& world, std::string const& path, F&& f) {
  std::fflush(stderr);
  int const before = ::dup(2), to = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(to, 2);
  f();
  std::fflush(stderr);
  ::dup2(before, 2);
  ::close(before);
  ::close(to);
  return written(world, path);
}

}  // namespace

TEST_CASE("what is wrong with the environment of many ranks is told once, by one of them",
          "[report][usage][error]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const text = said(world, here / "words", [&] {
    ::setenv("ARGOSY_HINTS", (here / "no.hints").c_str(), 1);
    if (world.rank() == world.size() - 1)
      ::setenv("ARGOSY_HINTS_OVERRIDE", (here / "no.override").c_str(), 1);
    ::setenv("ARGOSY_TRACE", "1", 1);
    ::setenv("ARGOSY_DEVELOP", "maybe", 1);
    ::setenv("ARGOSY_TRACE_FORMAT", "text", 1);
    ::setenv("ARGOSY_TRACE_DIR", (here / "no-directory").c_str(), 1);
    for (int i = 0; i < 2; ++i) io::file::open(world, here / "data", making).close();
    for (char const* name : {"ARGOSY_HINTS", "ARGOSY_HINTS_OVERRIDE", "ARGOSY_TRACE",
                             "ARGOSY_TRACE_FORMAT", "ARGOSY_TRACE_DIR", "ARGOSY_DEVELOP"})
      ::unsetenv(name);
  });
  if (world.rank() != 0) return;
  INFO(text);
  auto const times = [&](std::string const& words) {
    int n = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
      ++n;
    return n;
  };
  std::string const more =
      world.size() == 1 ? "" : ", nor on " + io::detail::counted(world.size() - 1, "other rank");
  CHECK(times("argosy: ARGOSY_HINTS=" + (here / "no.hints") +
              ": the file cannot be read: No such file or directory; its hints do not count (on "
              "rank 0" +
              more + ")\n") == 1);
  CHECK(times("ARGOSY_HINTS=") == 1);
  CHECK(times("the trace of rank 0 cannot be written") == 1);
  CHECK(times("the trace of rank") == 1);
  CHECK(times("ARGOSY_TRACE_FORMAT=text is no longer understood") == 1);
  CHECK(times("ARGOSY_TRACE=") == 0);
  CHECK(times("argosy: ARGOSY_DEVELOP=maybe is not understood (1, on, true, 0, off, false); it is "
              "off (on rank 0" +
              more + ")\n") == 1);
  CHECK(times("ARGOSY_DEVELOP=") == 1);
}

TEST_CASE("only of a file that was never closed there is no report, and rank 0 says so",
          "[report][usage][error]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::string const text = said(world, here / "words", [&] {
    asked const env(here / "report");
    io::file::open(world, here / "ended", making).close();
    [[maybe_unused]] io::file const dropped = io::file::open(world, here / "dropped", making);
  });
  if (world.rank() != 0) return;
  CHECK(text == "argosy: '" + (here / "dropped") +
                    "' was never closed, so ARGOSY_REPORT has nothing to tell of it\n");
}

TEST_CASE("hints that differ are named with the file they are from", "[report][usage][error]") {
  io::mpi const world = everyone();
  if (world.size() == 1) return;
  shared_scratch const here(world);
  std::string const path = here / "one.hints";
  if (world.rank() == 0) {
    std::ofstream(path) << "cb_block_size 8192\n";
    ::setenv("ARGOSY_HINTS", path.c_str(), 1);
  }
  world.barrier();
  try {
    io::file::open(world, here / "data", making);
    FAIL("blocks differ");
  } catch (io::error const& e) {
    std::string const text = e.what();
    INFO(text);
    CHECK_THAT(text, Contains("cb_block_size is ") &&
                         Contains("8192 on rank 0 (ARGOSY_HINTS, " + path + ":1)") &&
                         Contains("0 on "));
    CHECK(text.find("usage.cpp:") == text.rfind("usage.cpp:"));  // the line of open appears once
  }
  ::unsetenv("ARGOSY_HINTS");
}
