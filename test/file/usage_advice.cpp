// The advice of ARGOSY_REPORT, the rank that it names, and the table of all files.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/closed_files.hpp>
#include <argosy/file/detail/state/usage.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/policy.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "file/usage_cases.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using Catch::Contains;
using namespace io::test;

namespace {

// Returns a report of collective calls. Rank i waited begin_ms[i] for the others to come, and each
// rank waited `waited_ms` for windows.
io::detail::usage_report paced(std::vector<std::int64_t> const& begin_ms, std::int64_t waited_ms,
                               std::int64_t time_ms) {
  io::detail::usage_report r{.path = "f"};
  r.ranks = static_cast<int>(begin_ms.size());
  r.processors = r.ranks;
  for (auto& s : r.numbers.totals) s = io::extend::rank_statistics(0);
  r.numbers.paced_together = 10;
  for (std::size_t i = 0; i < begin_ms.size(); ++i) {
    io::detail::waits_to_begin const mine{io::extend::rank_statistics(begin_ms[i] * 1'000'000),
                                          static_cast<int>(i)};
    i == 0 ? void(r.numbers.begin = mine) : r.numbers.begin.combine(mine);
    r.numbers.waited.combine(io::extend::rank_statistics(waited_ms * 1'000'000));
    r.numbers.paced.combine(io::extend::rank_statistics(time_ms * 1'000'000));
  }
  return r;
}
std::string advice(io::detail::usage_report const& r) {
  std::string text;
  for (std::string const& a : advice_of(r)) text += a + "\n";
  return text;
}

}  // namespace

TEST_CASE("the rank that others wait for is named", "[report][usage]") {
  auto late = paced({900, 700, 5, 800}, 0, 1000);
  CHECK_THAT(
      advice(late),
      Contains("rank 2 comes last: before collective calls began the others waited 800.00 ms on "
               "average, and it 5.00 ms"));
  // With two ranks for each processor, 80 ms a call are too long to be time slices. With 100 calls
  // they are not.
  late.processors = 2;
  CHECK_THAT(advice(late), Contains("rank 2 comes last"));
  late.numbers.paced_together = 100;
  CHECK(advice(late).empty());
  late.numbers.rows[0].calls = io::extend::rank_statistics(1);
  CHECK_THAT(to_string(late),
             Contains("4 ranks on 2 processors: ranks wait for a processor, so times tell little"));
  // No particular rank is late, or none at all.
  CHECK_THAT(advice(paced({500, 400, 450, 420}, 0, 1000)),
             Contains("44 % of the time ranks waited for others before"));
  CHECK(advice(paced({50, 40, 5, 42}, 0, 1000)).empty());
  CHECK(advice(paced({8, 8, 0, 8}, 0, 9)).empty());  // too short to matter
}

TEST_CASE("more aggregators are advised where there may be more", "[report][usage]") {
  auto wait = paced({0, 0, 0, 0}, 800, 1000);
  CHECK_THAT(
      advice(wait),
      Contains("80 % of the time was spent waiting for other ranks to be done, each by itself"));
  wait.numbers.most_aggregators = wait.numbers.least_aggregators = 1;
  wait.numbers.largest.together = {1, 1 << 20, 64 << 20};
  CHECK_THAT(advice(wait),
             Contains("for the windows of 1 aggregator: more of them (cb_nodes, cb_config_list)"));
  // If the calls were given a policy, hints do not count.
  wait.numbers.largest.together.by = io::detail::chosen_by::call;
  CHECK_THAT(
      advice(wait),
      Contains("more of them (aggregators of the policy that the calls were given, or cb_nodes in "
               "ARGOSY_HINTS_OVERRIDE)") &&
          !Contains("cb_config_list"));
  wait.numbers.largest.together.by = io::detail::chosen_by::program;
  CHECK_THAT(
      advice(wait),
      Contains("more of them (the calls were given a policy of the program, which says it)"));
  wait.numbers.largest.together = {1, 32 << 20, 16 << 20};
  CHECK_THAT(
      advice(wait),
      Contains("windows of 33.6 MB leave nothing for more, so smaller ones (argosy_window_size") &&
          !Contains("cb_nodes"));
  auto const here = io::extend::source_location::current();
  wait.numbers.largest.at.set(here);
  CHECK_THAT(advice(wait),
             Contains("for the windows of 1 aggregator (the largest call at ") &&
                 Contains("usage_advice.cpp:" + std::to_string(here.line()) + "): windows of"));
  wait.numbers.most_aggregators = 4;
  CHECK_THAT(advice(wait), Contains("though 4 of 4 ranks move them: a look at the file system") &&
                               !Contains("cb_nodes"));
  // With one aggregator for each processor, more would not help.
  wait.numbers.most_aggregators = wait.processors = 2;
  CHECK(advice(wait).empty());
}

TEST_CASE("where the program waits for most of its calls in the background, that is said",
          "[report][usage][waited]") {
  auto const waiting = [](std::int64_t waited_ms, std::int64_t time_ms) {
    auto r = paced({0, 0}, 0, 0);
    for (int rank = 0; rank < 2; ++rank) {
      r.numbers.background.combine(io::extend::rank_statistics(time_ms * 1'000'000));
      std::size_t const last = io::detail::report_numbers.size() - 1;
      CHECK(io::detail::report_numbers[last].value == &io::report::waited_ns);
      if (rank == 0) r.numbers.totals[last] = {};
      r.numbers.totals[last].combine(io::extend::rank_statistics(waited_ms * 1'000'000));
    }
    return r;
  };
  CHECK_THAT(
      advice(waiting(800, 1000)),
      Contains("for 80 % of the time of calls in the background the program waited for them"));
  CHECK_THAT(advice(waiting(1200, 1000)), Contains("for 100 % of the time of calls"));
  CHECK(advice(waiting(400, 1000)).empty());
  CHECK(advice(waiting(8, 9)).empty());  // too short to matter
  auto crowded = waiting(800, 1000);
  crowded.processors = 1;
  CHECK(advice(crowded).empty());
}

TEST_CASE("at the end of a program its files are a line each, and all of them one more",
          "[report][usage]") {
  io::detail::closed_files all;
  auto const closed = [&](std::string const& path, std::int64_t ms, std::int64_t copy_ms) {
    auto r = paced({0, 0}, 0, 0);
    r.path = path;
    for (std::size_t k : {0u, 9u})
      r.numbers.rows[k] = {io::extend::rank_statistics(3), 1000, 5,
                           k == 0 ? 1 : 0};  // local reads, collective writes
    for (std::size_t i = 0; i < io::detail::report_numbers.size(); ++i)
      if (io::detail::report_numbers[i].value == &io::report::time_ns)
        r.numbers.totals[i] = io::extend::rank_statistics(ms * 1'000'000);
    if (copy_ms > 0) r.copy_ns = io::extend::rank_statistics(copy_ms * 1'000'000);
    all.add(r);
  };
  auto const line = [&](std::string const& name) {
    std::smatch found;
    std::string const text = all.table();
    return std::regex_search(text, found, std::regex("\n *([^\n]*)  " + name + "\n"))
               ? std::regex_replace(found[1].str(), std::regex(" +"), " ")
               : "";
  };
  CHECK(all.table().empty());
  closed("short", 1, 0);
  CHECK(all.table().empty());  // a single report needs no table
  closed("long", 30, 10);
  closed("short", 2, 2);
  CHECK_THAT(all.table(),
             Catch::StartsWith("argosy report of all files whose reports were here: 3 reports\n"));
  CHECK(line("'short'") == "2 3.00 ms 1.0 12 6 2000 2000 20 2 2");
  CHECK(line("'long'") == "1 30.00 ms 3.0 6 3 1000 1000 10 1 1");
  CHECK(line("all") == "3 33.00 ms 2.7 18 9 3000 3000 30 3 3");
  CHECK(all.table().find("'long'") < all.table().find("'short'"));
  CHECK(line("others").empty());
  for (std::size_t i = 2; i < io::detail::closed_files::most_lines + 2; ++i)
    closed(std::to_string(i), 1, 0);
  CHECK(line("others") == "2 2.00 ms - 12 6 2000 2000 20 2 2");
  CHECK(line("'short'") == "2 3.00 ms 1.0 12 6 2000 2000 20 2 2");
}

TEST_CASE("a wait for an aggregator is none for a rank that comes later", "[report][usage]") {
  io::mpi const world = everyone();
  if (world.size() == 1) return;
  shared_scratch const here(world);
  // The only aggregator is slow to write.
  auto const slow = std::make_shared<io::fault_script>();
  slow->add(io::delay_at(io::file_call::write, 1, std::chrono::milliseconds(300)));
  io::file f =
      io::file::open(world, here / "data", making, {}, io::with_faults(io::posix_opener(), slow));
  std::vector<char> const data(1000, 'x');
  io::report const r = f.write_at_all(1000 * world.rank(), data, io::two_phase{.aggregators = 1});
  if (r.write_calls == 0) {
    CHECK(r.waiting_ns > 200'000'000);
    CHECK(r.agreement_ns < r.waiting_ns);
  }
  f.close();
}

TEST_CASE("a rank that comes late is named in the report, not one that moves windows",
          "[report][usage]") {
  io::mpi const world = everyone();
  if (world.size() == 1) return;
  shared_scratch const here(world);
  std::string const to = here / "report";
  {
    asked const env(to);
    io::file f = io::file::open(world, here / "data", making);
    std::vector<char> const data(1000, 'x');
    for (int i = 0; i < 3; ++i) {
      if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(200));
      f.write_at_all(1000 * world.rank(), data, io::two_phase{.aggregators = 1});
    }
    f.close();
  }
  std::string const text = written(world, to);
  INFO(text);
  if (world.rank() == 0)
    CHECK_THAT(text, Contains("least on rank 1, which comes last") &&
                         Contains("- rank 1 comes last: before collective"));
}

TEST_CASE("advice is given where there is reason, and not elsewhere", "[report][usage]") {
  using io::detail::usage_report;
  auto const all_of = [](usage_report const& r) {
    std::string text;
    for (std::string const& a : advice_of(r)) text += a + "\n";
    return text;
  };
  auto const set = [](usage_report& r, std::int64_t io::report::* which, std::int64_t each,
                      std::int64_t most = 0) {
    for (std::size_t i = 0; i < io::detail::report_numbers.size(); ++i)
      if (io::detail::report_numbers[i].value == which) {
        io::extend::rank_statistics& s = r.numbers.totals[i];
        s = io::extend::rank_statistics(each);
        for (int k = 1; k < r.ranks; ++k)
          s.combine(io::extend::rank_statistics(k == 1 && most > 0 ? most : each));
      }
  };
  using io::detail::operation;
  auto const calls = [](usage_report& r, operation call, std::int64_t n, std::int64_t bytes) {
    auto& row = r.numbers.rows[io::detail::kind_of_call(io::detail::row_of(call))];
    row.calls = io::extend::rank_statistics(n / r.ranks);
    for (int k = 1; k < r.ranks; ++k) row.calls.combine(io::extend::rank_statistics(n / r.ranks));
    row.bytes = bytes;
  };
  usage_report r{.path = "f", .ranks = 4, .processors = 4};
  for (io::detail::report_number const& n : io::detail::report_numbers) set(r, n.value, 0);
  CHECK(all_of(r).empty());
  CHECK_THAT(to_string(r), Contains("none was given"));

  usage_report one = r;
  calls(one, operation::write_at, 400, 400 * 1000);
  CHECK_THAT(
      all_of(one),
      Contains("400 local writes of 1000 bytes on average: collective calls (write_at_all)") &&
          Contains("set_view was never called"));
  one.numbers.views = 1;
  CHECK_THAT(all_of(one), !Contains("set_view"));
  calls(one, operation::write_at, 400, 400 * std::int64_t{1 << 20});
  CHECK(all_of(one).empty());
  calls(one, operation::write_at, 200, 200);
  CHECK(all_of(one).empty());
  one = r;
  calls(one, operation::iwrite_at, 400, 400 * 1000);
  CHECK_THAT(all_of(one), Contains("400 local writes of 1000 bytes on average"));
  calls(one, operation::write_at, 400, 400 * 3000);
  CHECK_THAT(all_of(one), Contains("800 local writes of 2000 bytes on average"));
  one = r;
  calls(one, operation::write_at_all, 4000, 4000 * 10);
  CHECK_THAT(all_of(one), Contains("1000 collective writes of 10 bytes per rank on average"));

  for (auto const& [which, words] : {std::pair{&io::report::lock_ns, "went into locks"}}) {
    one = r;
    set(one, &io::report::time_ns, 10'000'000);
    set(one, which, 1'000'000);
    CHECK(all_of(one).empty());
    set(one, which, 6'000'000);
    CHECK_THAT(all_of(one), Contains("60 % of the time") && Contains(words));
    set(one, &io::report::time_ns, 10'000);
    set(one, which, 6'000);
    CHECK(all_of(one).empty());  // too short to matter
  }
  one = r;
  set(one, &io::report::bytes, 1000);
  set(one, &io::report::merged_bytes, 900);
  CHECK(all_of(one).empty());
  set(one, &io::report::merged_bytes, 2000);
  CHECK_THAT(all_of(one), Contains("8000 bytes of holes were read for 4000 bytes of data"));
  one = r;
  set(one, &io::report::fallbacks, 1);
  CHECK_THAT(all_of(one), Contains("4 windows could not be merged"));
  one = r;
  set(one, &io::report::bytes, 1000, 100 << 20);
  CHECK_THAT(all_of(one), Contains("one rank moved 105 MB, the others 1000 bytes on average"));
  set(one, &io::report::bytes, 50 << 20, 100 << 20);
  CHECK(all_of(one).empty());
  one = r;
  one.numbers.rows[0].failed = 2;
  CHECK_THAT(all_of(one), Contains("2 calls failed"));
  one = r;
  one.hints = io::file_hints({}, {}, io::hints{.cb_nodes = -1});
  CHECK_THAT(all_of(one), Contains("hint cb_nodes is rejected: -1 is negative"));
}
