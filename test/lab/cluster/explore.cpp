// Random programs under faults in the virtual cluster, and what they have found.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <argosy/lab/cluster/scenario.hpp>
#include <argosy/policy/sieving.hpp>

#include "explore/features.hpp"
#include "explore/planted.hpp"
#include "explore/program.hpp"
#include "explore/run.hpp"
#include "explore/sweep.hpp"
#include "support/catch.hpp"

using namespace argosy::explore;
using argosy::mode;
using argosy::lab::parse_scenario;

#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t seeds = 100;
constexpr std::uint64_t gpfs_seeds = 20;
constexpr std::int64_t every = 40;
#else
constexpr std::uint64_t seeds = 1500;
constexpr std::uint64_t gpfs_seeds = 150;
constexpr std::int64_t every = 5;
#endif

namespace {

// The first seed with which something is wrong, and with the right code nothing is; 0: none.
std::uint64_t first_found(std::function<verdict(program const&)> const& planted, std::string& wrong) {
  for (std::uint64_t seed = 1; seed < 1000; ++seed) {
    program const p = random_program(seed);
    if (p.world.ranks > 256) continue;
    wrong = planted(p).wrong;
    if (!wrong.empty() && verdict_of(p).wrong.empty()) return seed;
  }
  return 0;
}

}  // namespace

// The generator makes everything: what never comes up would never be tested.
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
  std::uint64_t const seed =
      first_found([](program const& p) { return verdict_of(p, {.files = with_filled_holes, .policy = {}}); }, wrong);
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
  std::uint64_t const seed =
      first_found([](program const& p) { return verdict_of(p, {.files = with_one_sync, .policy = {}}); }, wrong);
  CAPTURE(seed, wrong);
  CHECK(seed > 0);
  CHECK_THAT(wrong, Catch::Matchers::ContainsSubstring("crash"));
}

TEST_CASE("planted: errors of bytes that are lost late are kept secret", "[explore][planted][gpfs]") {
  bool found = false;
  for (std::uint64_t seed = 1; seed < 100 && !found; ++seed) {
    program const p = random_gpfs_program(seed);
    std::string const wrong = verdict_of(p, {.files = with_quiet_ends, .policy = {}}).wrong;
    found = wrong.find("nobody was told that bytes are lost") != std::string::npos && verdict_of(p).wrong.empty();
  }
  CHECK(found);
}

TEST_CASE("planted: an off-by-one in file domains", "[explore][planted]") {
  std::string wrong;
  auto const planted = [](program const& p) { return verdict_of(p, {.files = {}, .policy = with_short_domains}); };
  std::uint64_t const seed = first_found(planted, wrong);
  CAPTURE(seed, wrong);
  REQUIRE(seed > 0);

  // What is found is small when it is told.
  program const small = shrunk(random_program(seed), [&](program const& p) { return !planted(p).wrong.empty(); });
  CAPTURE(to_test(small, "small"));
  CHECK(small.steps.size() <= 3);
  CHECK(small.world.faults.empty());
}

// --- Kinds of programs: each does what it is for ---------------------------------------------------------------------

namespace {

// 6 ranks on 3 nodes, with agents, blocks so small that several ranks meet in one.
program with_agents(mode modes, std::vector<step> steps) {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=6 ranks_per_node=2 seed=3");
  p.world.disk.block_bytes = 512;
  p.before = {4000, -1};
  p.steps = {
      {.what = op::open, .modes = modes, .hints = {{"IBM_largeblock_io", "false"}, {"IBM_io_buffer_size", "512"}}},
      {.what = op::set_view, .view = {.shape = shape::dealt, .seed = 6, .etype_bytes = 4}}};
  p.steps.insert(p.steps.end(), steps.begin(), steps.end());
  p.steps.push_back({.what = op::close});
  return p;
}
policy_choice const shipped{.kind = policy_kind::data_shipping, .buffer_bytes = 512, .window_bytes = 512};
policy_choice const pieces{.kind = policy_kind::independent};

std::int64_t events(program const& p, char const* name) {
  verdict const v = verdict_of(p);
  CHECK(v.wrong == "");
  return v.features.of(feature::event, name);
}

}  // namespace

TEST_CASE("ranks ship reads and writes that meet at an agent", "[explore][kinds]") {
  step const s{.what = op::write_at, .count = 90, .policy = shipped, .mix = 9, .other = shipped, .both_ways = true};
  CHECK(events(with_agents(mode::read_write, {s, s, s}), "ranks ship reads and writes at once") == 3);
}

TEST_CASE("in a file opened unique some ranks ship, and others write directly", "[explore][kinds]") {
  step const s{.what = op::write_at, .count = 90, .policy = shipped, .mix = 9, .other = pieces};
  program const p = with_agents(mode::read_write | mode::unique_open, {s});
  CHECK(events(p, "opened unique, some ranks ship and others do not") == 1);
}

TEST_CASE("ranks write equal values to the same bytes", "[explore][kinds]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=6 ranks_per_node=2 seed=3");
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    p.steps = {{.what = op::open},
               {.what = op::set_view, .view = {.shape = shape::ghosts, .seed = seed, .etype_bytes = 8}},
               {.what = op::write_at_all, .count = 200, .policy = {.kind = policy_kind::two_phase, .window_bytes = 64}},
               {.what = op::read_at_all, .count = 200},
               {.what = op::close}};
    CAPTURE(seed);
    CHECK(events(p, "equal values of several ranks") == 1);
  }
}

TEST_CASE("where converting a value throws or does not fit, nothing else is written", "[explore][kinds]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=5 ranks_per_node=2 seed=3");
  p.before = {5000, -1};
  for (policy_kind const kind : {policy_kind::independent, policy_kind::sieving, policy_kind::two_phase})
    for (trouble const what : {trouble::misfit, trouble::item_throws})
      for (op const call : {op::write_at, op::write_at_all, op::iwrite_at_all}) {
        step const s{.what = call,
                     .count = 120,
                     .policy = {.kind = kind, .buffer_bytes = 256, .window_bytes = 64},
                     .trouble = what,
                     .culprit = 3};
        view_choice const v{.shape = shape::dealt,
                            .seed = 7,
                            .item = argosy::basic::int32,
                            .representation = representation_choice::shrinking};
        p.steps = {{.what = op::open}, {.what = op::set_view, .view = v}, s, s, {.what = op::close}};
        CAPTURE(name_of(call), name_of(what), static_cast<int>(kind));
        CHECK(events(p, what == trouble::misfit ? "a value does not fit" : "an item throws") == 2);
      }
}

TEST_CASE("an item of the file that does not fit is told", "[explore][kinds]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=3 ranks_per_node=3 seed=3");
  p.before = {19000, -1};
  view_choice const v{.displacement = 3, .item = argosy::basic::int64, .representation = representation_choice::picky};
  p.steps = {{.what = op::open}, {.what = op::set_view, .view = v}};
  // Few at a time, so that the one that does not fit is alone.
  for (std::int64_t at = 0; at < 600; at += 3)
    p.steps.push_back({.what = op::read_at_all,
                       .offset = at,
                       .count = 1,
                       .policy = {.kind = policy_kind::two_phase, .buffer_bytes = 64, .window_bytes = 20}});
  p.steps.push_back({.what = op::close});
  CHECK(events(p, "an item of the file does not fit") > 3);
}

// --- Found, and mended -----------------------------------------------------------------------------------------------

TEST_CASE("found: an aggregator dies, and a report counts what only came to its window", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=2 die=1:30");
  p.steps = {
      {.what = op::open},
      {.what = op::write_all,
       .count = 161,
       .policy = {.kind = policy_kind::two_phase, .buffer_bytes = 64, .align_bytes = 8}},
  };
  for (std::int64_t k = 1; k < 60; ++k) {
    p.world.deaths[0].operation = k;
    CAPTURE(k);
    CHECK(verdict_of(p).wrong == "");
  }
}

TEST_CASE("found: the hidden file of the shared pointer loses bytes, and a view begins where another did",
          "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=10 ranks_per_node=1");
  p.gpfs = {.troubles = argosy::lab::gpfs::parse_troubles("fault=server:-1,call:write,first:2,times:1,error:ENOSPC")};
  p.gpfs->machine.block_bytes = 1024;
  p.gpfs->machine.servers = 3;
  p.gpfs->machine.pagepool_bytes = 65536;
  p.gpfs->machine.lease_s = 1;
  p.steps = {
      {.what = op::open, .modes = mode::write | mode::create | mode::sequential},
      {.what = op::begin_write_ordered, .count = 205, .policy = {.kind = policy_kind::data_shipping}},
      {.what = op::set_view},
      {.what = op::set_view},
      {.what = op::begin_write_ordered, .count = 1},
  };
  CHECK(verdict_of(p).wrong == "");
}

// The oracle's own slips.
TEST_CASE("found: a node alone knows how long the file is, and dies", "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=15 ranks_per_node=1 die=14:28");
  p.gpfs.emplace();
  p.gpfs->machine.block_bytes = 512;
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.disks_per_server = 1;
  p.gpfs->machine.pagepool_bytes = 32768;
  p.gpfs->machine.write_behind_max_blocks = 1;
  p.gpfs->machine.lease_s = 1;
  step const nothing{.what = op::iwrite_at_all};
  p.steps = {
      {.what = op::open},
      {.what = op::set_view},
      {.what = op::set_view, .view = {.shape = shape::ghosts, .seed = 1569u, .item = argosy::basic::int32}},
      nothing,
      {.what = op::set_hints},
      {.what = op::write_at, .offset = 22, .count = 23, .policy = {.kind = policy_kind::sieving}},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a partitioning ends with a loss, and the next sync says so again", "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=25 ranks_per_node=1");
  p.gpfs = {.troubles =
                argosy::lab::gpfs::parse_troubles("fault=server:-1,call:write,first:4,times:1,error:EREMOTEIO")};
  p.gpfs->machine.block_bytes = 256;
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.disks_per_server = 1;
  p.gpfs->machine.pagepool_bytes = 16384;
  p.gpfs->machine.lease_s = 1;
  p.steps = {
      {.what = op::open,
       .modes = mode::read_write | mode::create | mode::unique_open,
       .hints = {{"IBM_largeblock_io", "false"}}},
      {.what = op::begin_write_ordered, .count = 21},
      {.what = op::set_size},
      {.what = op::sync},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: calls of two handles cross in one page, and who wrote last is not known", "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=4 ranks_per_node=2");
  p.gpfs = {.troubles =
                argosy::lab::gpfs::parse_troubles("fault=server:-1,call:write,first:6,times:1,error:EREMOTEIO")};
  p.gpfs->machine.block_bytes = 16384;
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.disks_per_server = 1;
  p.gpfs->machine.pagepool_bytes = 1048576;
  p.gpfs->machine.write_behind_max_blocks = 1;
  p.gpfs->machine.lease_s = 1;
  p.gpfs->machine.disk_us = 2323;
  p.steps = {
      {.what = op::open,
       .modes = mode::read_write | mode::create | mode::exclusive | mode::unique_open,
       .hints = {{"IBM_largeblock_io", "false"}}},
      {.what = op::write_all, .count = 1, .on = false},
      {.what = op::sync},
      {.what = op::iwrite_at, .count = 1},
      {.what = op::set_view,
       .view = {.shape = shape::ghosts,
                .seed = 846u,
                .item = argosy::basic::int128,
                .representation = representation_choice::external32}},
      {.what = op::iwrite_at,
       .offset = 388,
       .count = 236,
       .policy = {.kind = policy_kind::data_shipping, .buffer_bytes = 4096, .window_bytes = 10000, .merge = 2},
       .mix = 571870093u,
       .other = {.kind = policy_kind::independent}},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: one rank cannot end a partitioning, and the others wait in vain", "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=1 fault=rank:1,call:fcntl,first:4,error:EMFILE");
  p.gpfs.emplace();
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.pagepool_bytes = 16777216;
  p.steps = {
      {.what = op::open, .hints = {{"argosy_partitioning", "enable"}}},
      {.what = op::set_view, .hints = {{"IBM_io_buffer_size", "512"}}},
      {.what = op::close},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a report counts what lies behind a window that failed", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=6 ranks_per_node=6 fault=rank:4,call:lock,first:3,error:EMFILE");
  p.steps = {
      {.what = op::open},
      {.what = op::write_at_all,
       .count = 26,
       .policy = {.kind = policy_kind::two_phase, .buffer_bytes = 10000, .window_bytes = 16, .align_bytes = 64}},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: where open cannot give back the lock that it tries, it succeeds", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=7 ranks_per_node=1 fault=rank:6,call:unlock,error:ENOLCK");
  p.steps = {
      {.what = op::open},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: an unlock fails, and all others wait for the lock", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=5 ranks_per_node=1 fault=rank:4,call:unlock,error:EDQUOT");
  p.steps = {
      {.what = op::open},
      {.what = op::set_view, .view = {.shape = shape::woven}},
      {.what = op::write_at, .count = 27},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: in develop mode a wrong argument of one rank makes the others' policies differ", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=1");
  p.steps = {
      {.what = op::open, .hints = {{"argosy_develop", "true"}}},
      {.what = op::read_at_all, .count = 1, .policy = {.kind = policy_kind::automatic}, .mistake = slip::null_address},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: in develop mode one rank cannot have the view, and the others are told of arguments",
          "[explore][found]") {
  program p;
  for (char const* const fault : {"rank:0,call:lock,error:ENOENT", "rank:0,call:read,times:forever,error:EAGAIN",
                                  "rank:1,call:lock,error:ENOENT"}) {
    p.world = argosy::lab::parse_scenario(std::string("ranks=3 ranks_per_node=1 fault=") + fault);
    p.steps = {
        {.what = op::open,
         .modes = mode::write | mode::create | mode::append | mode::sequential,
         .hints = {{"argosy_develop", "true"}}},
        {.what = op::set_view, .view = {.item = argosy::basic::int32}},
    };
    CAPTURE(fault);
    CHECK(verdict_of(p).wrong == "");
  }
}

TEST_CASE("found: a rank moves the shared pointer late, and the views of a sequential file begin at several places",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=3 ranks_per_node=1 pause=1:100:300000");
  p.steps = {
      {.what = op::open, .modes = mode::write | mode::create | mode::sequential},
      {.what = op::write_shared, .count = 100, .loose = true},
      {.what = op::set_view},
      {.what = op::write_ordered, .count = 1},
      {.what = op::close},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: whoever seeks from an end that nobody tells is told so, although the place would be none",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=1 fault=rank:-1,call:size,error:ENOSPC");
  p.steps = {{.what = op::open}, {.what = op::seek, .offset = -1, .whence = argosy::seek_from::end}};
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a split call has wrong arguments, and is told of a death", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=1 die=1:26");
  policy_choice const how{.kind = policy_kind::data_shipping};
  p.steps = {
      {.what = op::open, .modes = mode::write | mode::create},
      {.what = op::write_at_all, .count = 1, .policy = how},
      {.what = op::sync, .on = false},
      {.what = op::begin_read_at_all, .later = true, .loose = true, .on = false},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: an agent that has left because a rank died", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=22 ranks_per_node=1 die=21:25");
  view_choice const ints{.shape = shape::plain, .item = argosy::basic::int32};
  policy_choice const sieving{.kind = policy_kind::sieving};
  policy_choice const shipping{
      .kind = policy_kind::data_shipping, .buffer_bytes = 32, .window_bytes = 10000, .align_bytes = 4096, .merge = 2};
  p.steps = {
      {.what = op::open, .view = ints, .hints = {{"IBM_largeblock_io", "switchable"}}},
      {.what = op::set_view, .view = {.shape = shape::dealt, .seed = 3u, .item = argosy::basic::int32}},
      {.what = op::seek, .view = ints, .whence = argosy::seek_from::end},
      {.what = op::read_at, .count = 1, .policy = sieving, .view = ints, .on = false, .other = sieving},
      {.what = op::test, .view = ints},
      {.what = op::iread_at, .count = 82, .policy = shipping, .view = ints, .loose = true, .other = shipping},
      {.what = op::write_at_all, .view = ints},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a handle throws, and the report counts what its window had to bring", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=5 ranks_per_node=5 seed=1031957496");
  policy_choice const how{
      .kind = policy_kind::two_phase, .buffer_bytes = 4096, .window_bytes = 16, .align_bytes = 64, .merge = 2};
  p.steps = {
      {.what = op::open},
      {.what = op::iwrite_at_all,
       .count = 9,
       .salt = 584950464u,
       .policy = how,
       .trouble = trouble::handle_throws,
       .culprit = 2},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: parts of the file are given back with lost writes while a view is set", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=1");
  p.gpfs = {.machine = {},
            .troubles = argosy::lab::gpfs::parse_troubles("fault=server:-1,call:write,times:1,error:ENOSPC")};
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.disks_per_server = 1;
  p.gpfs->machine.pagepool_bytes = 16777216;
  view_choice const ints{.shape = shape::plain, .item = argosy::basic::int32};
  p.steps = {
      {.what = op::open, .view = ints},
      {.what = op::set_view, .view = ints, .hints = {{"argosy_partitioning", "enable"}}},
      {.what = op::iwrite_at, .count = 1, .view = ints},
      {.what = op::set_view, .hints = {{"cb_config_list", "node0:1"}}},
      {.what = op::ask, .view = ints, .on = false},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: ranks that cannot make the file of the shared pointer ask where it stands", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=1 fault=rank:-1,call:open,first:2,error:EPERM");
  view_choice const ints{.shape = shape::plain, .item = argosy::basic::int32};
  p.before = {0, 17730};
  p.steps = {{.what = op::open}, {.what = op::ask, .view = ints}};
  CHECK(verdict_of(p).wrong == "");
}
