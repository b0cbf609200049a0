// Shared by tests of the contract: the ranks, views with holes, and windows that are merged.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy/sieving.hpp>

#include <cstdint>

namespace argosy::test {

inline mpi everyone() { return mpi(MPI_COMM_WORLD); }

inline bool true_everywhere(mpi const& world, bool mine) {
  struct both {
    bool value;
    void combine(both const& other) { value = value && other.value; }
  } all{mine};
  world.all_reduce(all);
  return all.value;
}

// Rank r's bytes in a file of interleaved blocks, and a policy that merges windows.
inline layout interleaved(mpi const& world, std::int64_t block) {
  return resized(at(world.rank() * block, bytes(block)), 0, block * world.size());
}
inline layout every_other(std::int64_t block) { return resized(bytes(block), 0, 2 * block); }
inline sieving const merging_windows{.read_window_bytes = 256,
                                     .write_window_bytes = 256,
                                     .reads = sieving_mode::always,
                                     .writes = sieving_mode::always};
// Hints for files whose ranks write such windows. On several nodes ranks merge by themselves only
// if this hint asks for it.
inline hints const merging_on_nodes{.ds_write = tristate::enable};
// Returns true if the ranks do not share memory. The shared pointer then lies in a file.
inline bool on_several_nodes(mpi const& world) { return world.node().size() < world.size(); }

}  // namespace argosy::test
