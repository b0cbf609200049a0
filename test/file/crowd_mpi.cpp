// The way from the type of a file system to the choice of a collective write: ranks that write
// small pieces between each other's work together on a disk, and separately in memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/world/detail/host.hpp>

#include "support/fault_shim.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::int64_t piece = 8 << 10, all_bytes = 16 << 20;
constexpr std::array<std::uint32_t, 4> disks{0xef53, 0x58465342, 0x9123683e, 0x794c7630};
constexpr std::uint32_t memory = 0x01021994;

std::uint32_t type_of(std::filesystem::path const& directory) {
  struct ::statfs found{};
  return ::statfs(directory.c_str(), &found) == 0 ? static_cast<std::uint32_t>(found.f_type) : 0;
}
// Returns true if the ranks may crowd: they share a node, and two of them run at the same time.
bool ranks_crowd(io::mpi const& world) {
  io::mpi const near = world.node();
  bool const crowd = near.size() == world.size() && io::detail::processors_for(near) > 1;
  if (!crowd && world.rank() == 0) skipped("this needs two ranks on two processors of a node");
  return crowd;
}

// Ranks write pieces in turn. Returns the plan, after the write has done as the plan says.
io::collective_plan plan_of_pieces(io::mpi const& world, std::filesystem::path const& directory,
                                   std::optional<double> crowd_call_ns = {}) {
  shared_scratch const here(world, directory);
  io::hints with;
  with.price_crowd_call_ns = crowd_call_ns;
  io::file f = io::file::open(world, here / "f", io::mode::create | io::mode::read_write, with);
  f.set_view(world.rank() * piece,
             {io::bytes(1), io::resized(io::bytes(piece), 0, piece * world.size())});
  std::vector<std::byte> const data(static_cast<std::size_t>(all_bytes / world.size()),
                                    static_cast<std::byte>(world.rank() + 1));
  io::collective_plan const p = f.explain_at_all(io::access_kind::write, 0, data);
  CHECK(p.weighed);
  io::report const r = f.write_at_all(0, data);
  CHECK(r.policy == p.policy);
  CHECK(r.reason == p.reason);
  CHECK((r.write_calls > 1000 / world.size()) == !p.together);
  std::vector<std::byte> back(data.size());
  f.read_at_all(0, back);
  CHECK((back == data));
  f.close();
  return p;
}

}  // namespace

TEST_CASE("on a disk ranks write small pieces together, because they would wait for each other",
          "[file][plan]") {
  io::mpi const world(MPI_COMM_WORLD);
  std::filesystem::path const directory = std::filesystem::current_path();
  if (std::ranges::find(disks, type_of(directory)) == disks.end())
    return skipped("the directory of this test is not on ext4, XFS, Btrfs or an overlay");
  if (!ranks_crowd(world)) return;
  io::collective_plan const p = plan_of_pieces(world, directory);
  CAPTURE(to_string(p));
  CHECK(p.together);
  CHECK(p.policy == "two_phase");
  CHECK_THAT(p.reason.str(), ContainsSubstring("by the prices of local files"));
  // The price of the crowd decides.
  CHECK_FALSE(plan_of_pieces(world, directory, 0).together);
}

TEST_CASE("in memory each rank writes small pieces by itself", "[file][plan]") {
  io::mpi const world(MPI_COMM_WORLD);
  std::filesystem::path const directory = in_memory();
  if (type_of(directory) != memory) return skipped("there is no tmpfs in /dev/shm");
  if (!ranks_crowd(world)) return;
  io::collective_plan const p = plan_of_pieces(world, directory);
  CAPTURE(to_string(p));
  CHECK_FALSE(p.together);
  CHECK(p.policy == "sieving");
  CHECK_THAT(p.reason.str(), ContainsSubstring("by the prices of local files"));
  CHECK(plan_of_pieces(world, directory, 15e3).together);
}

TEST_CASE("the type that a file system reports decides whether ranks write together",
          "[file][plan]") {
  io::mpi const world(MPI_COMM_WORLD);
  if (!ranks_crowd(world)) return;
  std::vector<std::uint32_t> types(disks.begin(), disks.end());
  types.push_back(memory);
  for (std::uint32_t const type : types) {
    std::array<char, 64> fault{};
    std::snprintf(fault.data(), fault.size(), "fstatfs@1+=type:%x", type);
    CAPTURE(fault.data());
    REQUIRE(argosy_faults("argosy_test_", fault.data()) == 0);
    CHECK(plan_of_pieces(world, in_memory()).together == (type != memory));
    CHECK(argosy_faults_struck() > 0);
    argosy_faults(nullptr, nullptr);
  }
}
