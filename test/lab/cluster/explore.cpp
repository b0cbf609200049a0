// Random programs under faults in the virtual cluster.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <argosy/lab/cluster/scenario.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/policy/sieving.hpp>

#include "lab/explore/features.hpp"
#include "lab/explore/generate.hpp"
#include "lab/explore/planted.hpp"
#include "lab/explore/program.hpp"
#include "lab/explore/run.hpp"
#include "lab/explore/static_types.hpp"
#include "lab/explore/sweep.hpp"
#include "support/catch.hpp"
#include "support/random_tree.hpp"
#include "support/sanitized.hpp"
#include "support/type_map.hpp"

using argosy::mode;
using namespace argosy::explore;

constexpr std::uint64_t seeds = argosy::test::sanitized ? 100 : 1500;
constexpr std::uint64_t gpfs_seeds = argosy::test::sanitized ? 20 : 150;
constexpr std::int64_t every = argosy::test::sanitized ? 40 : 5;

namespace {

// Returns the first seed for which the planted bug is found, and the right code passes; 0 if there
// is none.
std::uint64_t first_found(std::function<verdict(program const&)> const& planted,
                          std::string& wrong) {
  for (std::uint64_t seed = 1; seed < 1000; ++seed) {
    program const p = random_program(seed);
    if (p.world.ranks > 256) continue;
    wrong = planted(p).wrong;
    if (!wrong.empty() && verdict_of(p).wrong.empty()) return seed;
  }
  return 0;
}

std::int64_t size_of(static_type const& t) {
  return argosy::detail::size_in(argosy::detail::native_sizes, t.element);
}

}  // namespace

TEST_CASE("each static datatype of programs is its twin", "[explore][static]") {
  CHECK(static_types().size() == static_type_count);
  for (static_type const& t : static_types()) {
    CAPTURE(t.name, name_of(t.element));
    std::vector<std::byte> room(1000);
    auto const here = t.data(room.data() + 400, 3);
    argosy::layout const same = argosy::test::to_layout(t.twin, argosy::test::bounds_rule::hull);
    CHECK(here.buffer().form() == argosy::repeat(3, t.extent, same));
    CHECK(here.buffer().types().get() ==
          argosy::extend::signature(t.element, 3 * t.bytes / size_of(t)));
    // A datatype that steps backwards is left to the layout.
    CHECK((here.row().known != nullptr) == (same.true_lower_bound() >= 0));
    memory_map const m = memory_of(t, 3 * t.bytes);
    CHECK(m.form == here.buffer().form());
    std::vector<argosy::extend::piece> pieces;
    for (argosy::extend::cursor at(m.form); !at.done(); at.next())
      pieces.push_back({at.current().offset + m.base, at.current().length});
    CHECK(argosy::test::joined(m.pieces) == pieces);
  }
}

// The generator must produce every feature, because one that never comes up would never be tested.
TEST_CASE("random programs keep the contract, and nothing never comes up", "[explore][features]") {
  features all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    program const p = random_program(seed);
    if (p.world.ranks > 256) continue;
    CAPTURE(seed);
    verdict const v = verdict_of(p);
    CHECK(v.wrong == "");
    all.add(v.features);
  }
  if (seeds >= 1500) CHECK(all.zeros(false) == std::vector<std::string>());
}

TEST_CASE("random programs keep the contract on a simulated GPFS", "[explore][gpfs]") {
  for (std::uint64_t seed = 1; seed <= gpfs_seeds; ++seed) {
    program const p = random_gpfs_program(seed);
    CAPTURE(seed);
    CHECK(verdict_of(p).wrong == "");
    if (seed % 10 == 0) CHECK(verdict_of(p).trace_hash == verdict_of(p).trace_hash);
  }
}

TEST_CASE("a seed is one program, and one run", "[explore]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    program const p = random_program(seed, 5);
    CAPTURE(seed);
    CHECK(p == random_program(seed, 5));
    CHECK(p.world.ranks == 5);
    CHECK(verdict_of(p).trace_hash == verdict_of(p).trace_hash);
  }
}

TEST_CASE("one more hint changes no program but for itself", "[explore]") {
  hint_choice const more{"nobody_had_this_before", {"1", "2"}};
  std::size_t drawn = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    program with = random_program_with(more, seed);
    for (step& s : with.steps)
      drawn += std::erase_if(s.hints, [&](auto const& hint) { return hint.first == more.name; });
    CAPTURE(seed);
    CHECK(with == random_program(seed));
  }
  CHECK(drawn > 10);
}

TEST_CASE("every file call of small programs fails by every error", "[explore][faults]") {
  sweep_result const r = sweep({}, every);
  for (broken_cell const& c : r.broken) {
    CAPTURE(c.name);
    CHECK(c.wrong == "");
  }
  CHECK(r.cells > 100);
}

TEST_CASE("planted: an aggregator that returns early from an error", "[explore][planted]") {
  std::string wrong;
  std::uint64_t const seed = first_found(verdict_with_early_return, wrong);
  CAPTURE(seed, wrong);
  CHECK(seed > 0);
}

TEST_CASE("planted: a hole treated as data", "[explore][planted]") {
  std::string wrong;
  std::uint64_t const seed = first_found(
      [](program const& p) { return verdict_of(p, {.files = with_filled_holes, .policy = {}}); },
      wrong);
  CAPTURE(seed, wrong);
  CHECK(seed > 0);
}

TEST_CASE("after a crash at any file call what was synced is there", "[explore][crash]") {
  for (std::uint64_t seed = 1; seed <= seeds / 4; ++seed) {
    program p = random_program(seed);
    if (p.world.ranks > 64) continue;
    p.crash_every = 1;
    CAPTURE(seed);
    CHECK(verdict_of(p).wrong == "");
  }
}

TEST_CASE("planted: one rank syncs for all", "[explore][planted][crash]") {
  std::string wrong;
  std::uint64_t const seed = first_found(
      [](program const& p) { return verdict_of(p, {.files = with_one_sync, .policy = {}}); },
      wrong);
  CAPTURE(seed, wrong);
  CHECK(seed > 0);
  CHECK_THAT(wrong, Catch::Matchers::ContainsSubstring("crash"));
}

TEST_CASE("planted: errors of bytes that are lost late are kept secret",
          "[explore][planted][gpfs]") {
  bool found = false;
  for (std::uint64_t seed = 1; seed < 100 && !found; ++seed) {
    program const p = random_gpfs_program(seed);
    std::string const wrong = verdict_of(p, {.files = with_quiet_ends, .policy = {}}).wrong;
    found = wrong.find("nobody was told that bytes are lost") != std::string::npos &&
            verdict_of(p).wrong.empty();
  }
  CHECK(found);
}

TEST_CASE("planted: an off-by-one in file domains", "[explore][planted]") {
  std::string wrong;
  auto const planted = [](program const& p) {
    return verdict_of(p, {.files = {}, .policy = with_short_domains});
  };
  std::uint64_t const seed = first_found(planted, wrong);
  CAPTURE(seed, wrong);
  REQUIRE(seed > 0);

  // A failing program must shrink to a small one before it is reported.
  program const small =
      shrunk(random_program(seed), [&](program const& p) { return !planted(p).wrong.empty(); });
  CAPTURE(to_test(small, "small"));
  CHECK(small.steps.size() <= 3);
  CHECK(small.world.faults.empty());
}

// --- Kinds of programs: each must cause the event for which it is made ---------------------------

namespace {

// 6 ranks on 3 nodes, with agents. Blocks are so small that several ranks write to one block.
program with_agents(mode modes, std::vector<step> steps) {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=6 ranks_per_node=2 seed=3");
  p.world.disk.block_bytes = 512;
  p.before = {4000, -1};
  p.steps = {{.what = op::open,
              .modes = modes,
              .hints = {{"IBM_largeblock_io", "false"}, {"IBM_io_buffer_size", "512"}}},
             {.what = op::set_view, .view = {.shape = shape::dealt, .seed = 6, .etype_bytes = 4}}};
  p.steps.insert(p.steps.end(), steps.begin(), steps.end());
  p.steps.push_back({.what = op::close});
  return p;
}
policy_choice const shipped{
    .kind = policy_kind::data_shipping, .buffer_bytes = 512, .window_bytes = 512};
policy_choice const pieces{.kind = policy_kind::independent};

std::int64_t events(program const& p, char const* name) {
  verdict const v = verdict_of(p);
  CHECK(v.wrong == "");
  return v.features.of(feature::event, name);
}

}  // namespace

TEST_CASE("ranks ship reads and writes that meet at an agent", "[explore][kinds]") {
  step const s{.what = op::write_at,
               .count = 90,
               .policy = shipped,
               .mix = 9,
               .other = shipped,
               .both_ways = true};
  CHECK(events(with_agents(mode::read_write, {s, s, s}), "ranks ship reads and writes at once") ==
        3);
}

TEST_CASE("in a file opened unique some ranks ship, and others write directly",
          "[explore][kinds]") {
  step const s{.what = op::write_at, .count = 90, .policy = shipped, .mix = 9, .other = pieces};
  program const p = with_agents(mode::read_write | mode::unique_open, {s});
  CHECK(events(p, "opened unique, some ranks ship and others do not") == 1);
}

TEST_CASE("ranks write equal values to the same bytes", "[explore][kinds]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=6 ranks_per_node=2 seed=3");
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    p.steps = {
        {.what = op::open},
        {.what = op::set_view, .view = {.shape = shape::ghosts, .seed = seed, .etype_bytes = 8}},
        {.what = op::write_at_all,
         .count = 200,
         .policy = {.kind = policy_kind::two_phase, .window_bytes = 64}},
        {.what = op::read_at_all, .count = 200},
        {.what = op::close}};
    CAPTURE(seed);
    CHECK(events(p, "equal values of several ranks") == 1);
  }
}

TEST_CASE("where converting a value throws or does not fit, nothing else is written",
          "[explore][kinds]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=5 ranks_per_node=2 seed=3");
  p.before = {5000, -1};
  for (policy_kind const kind :
       {policy_kind::independent, policy_kind::sieving, policy_kind::two_phase})
    for (trouble const what : {trouble::misfit, trouble::item_throws})
      for (op const call : {op::write_at, op::write_at_all, op::iwrite_at_all}) {
        step const s{.what = call,
                     .count = 120,
                     .policy = {.kind = kind, .buffer_bytes = 256, .window_bytes = 64},
                     .trouble = what,
                     .culprit = 3};
        view_choice const v{.shape = shape::dealt,
                            .seed = 7,
                            .item = argosy::extend::basic_type::int32,
                            .representation = representation_choice::shrinking};
        p.steps = {
            {.what = op::open}, {.what = op::set_view, .view = v}, s, s, {.what = op::close}};
        CAPTURE(name_of(call), name_of(what), static_cast<int>(kind));
        CHECK(events(p, what == trouble::misfit ? "a value does not fit" : "an item throws") == 2);
      }
}

TEST_CASE("an item of the file that does not fit is told", "[explore][kinds]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=3 ranks_per_node=3 seed=3");
  p.before = {19000, -1};
  view_choice const v{.displacement = 3,
                      .item = argosy::extend::basic_type::int64,
                      .representation = representation_choice::picky};
  p.steps = {{.what = op::open}, {.what = op::set_view, .view = v}};
  // Few items at a time, so that the item that does not fit is alone in its call.
  for (std::int64_t at = 0; at < 600; at += 3)
    p.steps.push_back(
        {.what = op::read_at_all,
         .offset = at,
         .count = 1,
         .policy = {.kind = policy_kind::two_phase, .buffer_bytes = 64, .window_bytes = 20}});
  p.steps.push_back({.what = op::close});
  CHECK(events(p, "an item of the file does not fit") > 3);
}
