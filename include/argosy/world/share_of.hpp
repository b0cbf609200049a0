// share_of(world, n): where the elements of this rank begin in an array that holds those of all
// ranks, in the order of the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include <argosy/datatype/numbers.hpp>
#include <argosy/extend.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy {

namespace extend {

// The elements of this rank begin at `first`. All ranks together have `all` elements.
struct rank_share {
  std::int64_t first = 0;
  std::int64_t all = 0;
  friend bool operator==(rank_share const&, rank_share const&) = default;
};

}  // namespace extend

namespace detail {

// The sum of the counts in two halves, which cannot overflow, and the lowest rank with an invalid
// count.
struct counted_elements {
  std::uint64_t high = 0, low = 0;
  int wrong_rank = std::numeric_limits<int>::max();
  std::int64_t wrong = 0;  // the count of that rank

  static counted_elements of(std::int64_t count, int rank);
  void combine(counted_elements const& other) noexcept {
    high += other.high;
    low += other.low;
    if (other.wrong_rank < wrong_rank) {
      wrong_rank = other.wrong_rank;
      wrong = other.wrong;
    }
  }
};

// Returns the sum. Throws argosy::error if a count is invalid or the sum is too large.
std::int64_t sum_of(counted_elements const& all, int rank);

}  // namespace detail

//   auto const [first, all] = io::share_of(world, particles.size());
//   io::subarray({all}, {std::ssize(particles)}, {first}, io::type<particle>)
//
// Returns the share of this rank, if every rank has `count` elements of its own. Collective.
// `world` is any communicator; include world/mpi.hpp for one of MPI. Throws argosy::error
// (errc::argument) on every rank if a count is negative, or if the sum is 2^63 or more. Cost: two
// reductions.
template <extend::agreeing World, detail::integer Count>
extend::rank_share share_of(World const& world, Count count) {
  auto const mine = std::in_range<std::int64_t>(count) ? static_cast<std::int64_t>(count)
                                                       : std::numeric_limits<std::int64_t>::min();
  auto sum = detail::counted_elements::of(mine, world.rank());
  world.all_reduce(sum);
  std::int64_t const all = detail::sum_of(sum, world.rank());
  return {world.exclusive_sum(mine), all};
}

}  // namespace argosy
