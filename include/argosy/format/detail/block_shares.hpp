// The blocks of an array, distributed over the ranks. Each rank combines the checksums of its
// blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/format/checkpoint_header.hpp>
#include <argosy/format/detail/checksums.hpp>
#include <argosy/format/detail/together.hpp>
#include <argosy/world/parcel.hpp>

namespace argosy::detail {

// Rank r has the blocks first(r) to first(r + 1).
class block_shares {
 public:
  block_shares(std::int64_t blocks, int rank, int ranks)
      : blocks_(blocks), rank_(rank), ranks_(ranks) {}
  std::int64_t first(int rank) const {
    return blocks_ / ranks_ * rank + blocks_ % ranks_ * rank / ranks_;
  }
  int owner(std::int64_t block) const;
  std::int64_t mine() const { return first(rank_ + 1) - first(rank_); }
  int rank() const { return rank_; }

  std::vector<parcel> send(std::vector<block_part> const& parts) const;
  // Returns the sum of all ranks' parts for each block of this rank.
  std::vector<block_part> combine(std::vector<parcel> const& parcels) const;

 private:
  std::int64_t blocks_;
  int rank_, ranks_;
};

// Returns the blocks that a filetype touches, without data about their bytes.
std::vector<block_part> blocks_of(layout const& filetype, std::int64_t block_bytes);
// Returns a failure unless the parts of the ranks cover the block exactly once.
failure fault_of_cover(checkpoint_header const& h, checkpoint_array const& a, std::int64_t block,
                       block_part const& parts);
// Returns the number of blocks of all arrays together.
std::int64_t all_blocks(checkpoint_header const& h);
// Returns the number of blocks of the arrays before this one.
std::int64_t first_block(checkpoint_header const& h, checkpoint_array const& a);

// Checksums of neighbouring blocks, in the form of the file, and their place in it.
struct placed_sums {
  std::int64_t place = 0;
  std::vector<std::byte> sums;
};
// Computes the checksums of this rank's blocks, which are numbered through all arrays. Returns a
// failure if the ranks' parts do not cover a block.
failure sums_of(checkpoint_header const& h, std::vector<block_part> const& parts,
                std::vector<placed_sums>& into);
// Compares the checksums with those of the file, of neighbouring blocks that are numbered in the
// same way. Blocks that are touched but not covered are read.
failure damage_of(checkpoint_header const& h, std::vector<block_part> const& parts,
                  std::function<std::int64_t(std::int64_t, std::span<std::byte>)> const& read);

std::string temporary_path(std::string const& path, std::uint64_t number);

// Combines the results of `parts_of` on each rank for the blocks of this rank. Collective.
template <communicator World, class PartsOf>
std::vector<block_part> shared_out(joint_call<World> const& s, block_shares const& shares,
                                   PartsOf&& parts_of) {
  std::vector<parcel> parcels;
  std::vector<block_part> all;
  s.alone(errc::io, [&] { parcels = shares.send(parts_of()); });
  parcels = s.deliver(parcels);
  s.alone(errc::io, [&] { all = shares.combine(parcels); });
  return all;
}

template <communicator World>
void barrier_of_survivors(World const& world) {
  try {
    world.barrier();
  } catch (rank_failure const&) {
    return;
  }
}

}  // namespace argosy::detail
