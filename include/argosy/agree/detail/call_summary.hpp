// The values that ranks reduce at the start and the end of every collective call. All calls use one
// type, so ranks in different calls come to the same reduction and are detected.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// The lowest and the highest value of all ranks, each with the lowest rank that has it. If they are
// equal, all ranks agree.
struct extremes {
  std::uint64_t low = 0, high = 0;
  std::int32_t low_rank = 0, high_rank = 0;

  constexpr extremes() = default;
  constexpr extremes(std::uint64_t value, int rank)
      : low(value), high(value), low_rank(rank), high_rank(rank) {}
  constexpr void combine(extremes const& other) {
    if (std::tie(other.low, other.low_rank) < std::tie(low, low_rank))
      low = other.low, low_rank = other.low_rank;
    if (other.high > high || (other.high == high && other.high_rank < high_rank))
      high = other.high, high_rank = other.high_rank;
  }
};

// The first reduction, and usually the only one: is there an error or a difference? In shared
// memory it is two cache lines, with the number of the step in front.
struct call_digest {
  std::uint64_t same = 0;  // hash of the values that must be equal on all ranks
  // bits that are set if they are set on any rank; for example, arguments are to be compared
  std::int32_t flags = 0;
  std::int32_t trouble = 0;  // 1: a rank has failed, or ranks differ
  access_summary access = {};

  // Returns how many bytes differ from a new digest: at the end of a call a few words.
  constexpr std::size_t telling_bytes() const noexcept {
    return access == access_summary() ? sizeof(call_digest) - sizeof(access_summary)
                                      : sizeof(call_digest);
  }
  constexpr void combine(call_digest const& other) {
    trouble |= other.trouble | (same != other.same ? 1 : 0);
    same = std::min(same, other.same);
    flags |= other.flags;
    access.combine(other.access);
  }
};
static_assert(reducible<call_digest>);
static_assert(sizeof(call_digest) <= 120 &&
              offsetof(call_digest, access) == sizeof(call_digest) - sizeof(access_summary));

// The second reduction, after an error or a difference: its kind and its place.
struct call_summary {
  static constexpr std::int32_t no_rank = std::numeric_limits<std::int32_t>::max();

  std::int32_t failed_rank = no_rank;  // the lowest
  std::int32_t failed_value = 0;       // value of its error code
  std::int32_t failed_errno = 0;       // 1: the code is an errno, 0: an errc
  std::array<extremes, arguments::most_free> compared = {};

  constexpr void combine(call_summary const& other) {
    if (other.failed_rank < failed_rank) {
      failed_rank = other.failed_rank;
      failed_value = other.failed_value;
      failed_errno = other.failed_errno;
    }
    for (std::size_t i = 0; i < compared.size(); ++i) compared[i].combine(other.compared[i]);
  }
};
static_assert(reducible<call_summary>);

}  // namespace argosy::detail
