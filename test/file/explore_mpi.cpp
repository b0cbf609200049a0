// Random programs under faults on real processes and files. Planted bugs must be found.
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/raw_posix.hpp>
#include <argosy/policy/sieving.hpp>

#include "lab/explore/planted.hpp"
#include "lab/explore/program.hpp"
#include "lab/explore/real_files.hpp"
#include "lab/explore/remote_ground.hpp"
#include "lab/explore/remote_run.hpp"
#include "support/catch.hpp"
#include "support/fault_shim.hpp"
#include "support/files.hpp"
#include "support/sanitized.hpp"

using namespace argosy::explore;
using argosy::lab::parse_scenario;

namespace {

struct processes {
  argosy::mpi world = argosy::mpi(MPI_COMM_WORLD).duplicate();
  common_ground directory{world, ""};
  meeting_place place{world.get(), directory.path()};
  hang_watch watch{world.rank(), 60};
  ground here{world, place, directory.path(),
              [this](int step, char const* call) { watch.at(step, call); }};

  std::string wrong_with(std::uint64_t seed, program const& p, changes const& c = {}) {
    watch.begin(seed);
    return verdict_on_processes(p, here, c).wrong;
  }
  program of(std::uint64_t seed) const { return random_program(seed, world.size()); }
  // Returns the first seed for which something is wrong; 0 if there is none.
  std::uint64_t first_found(changes const& planted, std::uint64_t last, std::string& wrong) {
    for (std::uint64_t seed = 1; seed <= last; ++seed) {
      wrong = wrong_with(seed, of(seed), planted);
      if (!wrong.empty()) return seed;
    }
    return 0;
  }
};

class lockless : public argosy::extend::any_handle {
 public:
  lockless(std::in_place_t, argosy::extend::any_handle inner)
      : argosy::extend::any_handle(std::move(inner)) {}
  std::error_code lock(std::int64_t, std::int64_t, argosy::extend::lock_kind) { return {}; }
  std::error_code unlock(std::int64_t, std::int64_t) { return {}; }
};

// Returns the number of seeds. If ranks outnumber processors they take turns, which takes time.
std::uint64_t seeds_for(int ranks) {
  if (argosy::test::sanitized) return ranks == 1 ? 10 : 3;
  return ranks == 1 ? 100 : ranks <= 4 ? 25 : 10;
}

}  // namespace

TEST_CASE("random programs keep the contract on processes and real files", "[explore]") {
  processes all;
  for (std::uint64_t seed = 1; seed <= seeds_for(all.world.size()); ++seed) {
    CAPTURE(seed);
    CHECK(all.wrong_with(seed, all.of(seed)) == "");
  }
  CHECK(std::filesystem::is_empty(all.directory.path()));
}

TEST_CASE("system calls of programs on processes break as their faults say", "[explore][faults]") {
  processes all;
  program p;
  p.world =
      parse_scenario("ranks=1 ranks_per_node=1 seed=2 fault=rank:0,call:write,first:2,error:EINTR");
  REQUIRE(system_faults(p, 0).find("late") == std::string::npos);
  p.world.ranks = all.world.size();
  p.steps = {
      {.what = op::open}, {.what = op::write_at, .count = 10}, {.what = op::write_at, .count = 10}};
  process_verdict const v = verdict_on_processes(p, all.here);
  CHECK(v.wrong == "");
  CHECK(v.struck == 1);
  CHECK(v.features.of(feature::call, "write_at") == 2);
}

TEST_CASE("a program may have fewer ranks than there are processes", "[explore]") {
  processes all;
  for (int ranks = 1; ranks <= all.world.size(); ++ranks) {
    program const p = random_program(5, ranks);
    CAPTURE(ranks);
    CHECK(all.wrong_with(5, p) == "");
  }
}

TEST_CASE("planted on processes: a hole treated as data", "[explore][planted]") {
  processes all;
  std::string wrong;
  std::uint64_t const seed =
      all.first_found({.files = with_filled_holes, .policy = {}}, 100, wrong);
  CAPTURE(seed, wrong);
  CHECK(seed > 0);
  CHECK(std::filesystem::is_empty(all.directory.path()));
}

TEST_CASE("planted on processes: one rank keeps the errors of its syncs to itself",
          "[explore][planted]") {
  processes all;
  program p;
  p.world = parse_scenario("ranks=1 ranks_per_node=1 fault=rank:0,call:sync,error:EIO");
  p.world.ranks = all.world.size();
  p.steps = {{.what = op::open}, {.what = op::write_at, .count = 10}, {.what = op::sync}};
  CHECK(all.wrong_with(1, p) == "");
  auto const on_one = [](argosy::opener files, int rank) {
    return rank == 0 ? with_quiet_ends(std::move(files), rank) : files;
  };
  changes const quiet{.files = {}, .policy = {}, .above = on_one};
  CHECK_THAT(all.wrong_with(1, p, quiet),
             Catch::Matchers::ContainsSubstring("step 2 (sync), rank 0: success"));
}

TEST_CASE("planted on processes: locks that lock nothing", "[explore][planted]") {
  processes all;
  if (all.world.size() == 1) return;  // a single rank cannot be disturbed
  program p;
  // All ranks are late between their read and their write. If only one were late, the others might
  // have ended before it begins.
  auto const with_delay = [&](int ms) {
    p.world = parse_scenario("ranks=" + std::to_string(all.world.size()) +
                             " ranks_per_node=1 fault=rank:-1,call:write,times:20,delay_ns:" +
                             std::to_string(ms) + "000000");
  };
  with_delay(10);
  p.before[0] = 4000;
  policy_choice const windows{.kind = policy_kind::sieving,
                              .window_bytes = 4096,
                              .merge = static_cast<int>(argosy::sieving_mode::always)};
  // If ranks are on several nodes, each merges by itself, under locks, only if this hint asks for
  // it.
  p.steps = {{.what = op::open, .hints = {{"romio_ds_write", "enable"}}},
             {.what = op::set_view, .view = {.shape = shape::dealt, .seed = 7}}};
  for (std::uint64_t k = 1; k <= 6; ++k)
    p.steps.push_back({.what = op::write_at, .count = 100, .salt = k, .policy = windows});
  CHECK(all.wrong_with(1, p) == "");
  auto const planted = [](argosy::opener files, int) {
    return opening_as<lockless>(std::move(files));
  };
  // It depends on time whether ranks use a window at the same time. If many ranks share few
  // processors, longer delays are needed.
  std::string wrong;
  for (int tries = 1; tries <= 20 && wrong.empty(); ++tries) {
    with_delay(10 * tries);
    wrong = all.wrong_with(2, p, {.files = {}, .policy = {}, .above = planted});
  }
  CHECK_THAT(wrong, Catch::Matchers::ContainsSubstring("of file"));
}

TEST_CASE("planted on processes: an off-by-one in file domains, and all ranks find the same",
          "[explore][planted]") {
  processes all;
  if (all.world.size() == 1) return;  // a single rank has no second domain
  changes const planted{.files = {}, .policy = with_short_domains};
  std::string wrong;
  std::uint64_t const seed = all.first_found(planted, 100, wrong);
  CAPTURE(seed, wrong);
  REQUIRE(seed > 0);
  for (auto const& words : all.place.gather(std::as_bytes(std::span(wrong)), all.world.size()))
    CHECK(std::string(reinterpret_cast<char const*>(words.data()), words.size()) == wrong);

  program const p = all.of(seed);
  program const small =
      shrunk(p, [&](program const& q) { return !all.wrong_with(seed, q, planted).empty(); }, 60);
  CHECK(small.steps.size() < p.steps.size());
  CHECK(!all.wrong_with(seed, small, planted).empty());
}

TEST_CASE("what hangs is named, and ends", "[explore]") {
  processes all;
  if (all.world.rank() != 0) return;
  std::string said;
  int const status = argosy::test::in_child([&] {
    std::string const file = all.directory.path() + "/said";
    if (!std::freopen(file.c_str(), "w", stderr)) return false;
    hang_watch watch(3, 1);
    watch.begin(77);
    watch.at(5, "write_all");
    ::sleep(30);
    ::sleep(30);
    return false;
  });
  said = argosy::test::content_of(all.directory.path() + "/said");
  CHECK(status == 75);
  CHECK(said == "explore_mpi: seed 77 hangs for 1 s on rank 3: step 5, write_all\n");
}

TEST_CASE("the shim tears with any error, and fills disks", "[explore][faults]") {
  argosy::test::scratch const dir;
  std::string const path = dir / "torn";
  std::error_code e;
  auto f = argosy::extend::raw_posix::open(path, {.read = true, .write = true, .create = true}, e);
  REQUIRE(!e);
  std::vector<std::byte> const data(100, std::byte{1});
  REQUIRE(argosy_faults(path.c_str(), "write@1=torn:7:ENOSPC") == 0);
  CHECK(f.write(0, data).bytes == 7);
  CHECK(f.write(7, data).error == std::errc::no_space_on_device);
  CHECK(f.write(7, data).bytes == 100);
  REQUIRE(argosy_faults(path.c_str(), "write@1+=full:50;fallocate@1+=full:50") == 0);
  CHECK(f.write(0, data).bytes == 50);
  CHECK(f.write(50, data).error == std::errc::no_space_on_device);
  CHECK(f.write(10, std::span(data).first(40)).bytes == 40);
  CHECK(f.preallocate(51) == std::errc::no_space_on_device);
  CHECK(f.preallocate(50) == std::error_code());
  REQUIRE(argosy_faults(path.c_str(), "write@1=late:500us") == 0);
  CHECK(f.write(0, data).bytes == 100);
  CHECK(argosy_faults_struck() == 1);
  CHECK(argosy_faults(path.c_str(), "write@1=torn:7:") == -1);
  CHECK(argosy_faults(path.c_str(), "write@1=short:7x") == -1);
  CHECK(argosy_faults(path.c_str(), "write@1=late:7days") == -1);
  argosy_faults(nullptr, nullptr);
}
