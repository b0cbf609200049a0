// How ranks access a Zarr array if each of them has whole shards: by themselves, shard by shard,
// and directly from their memory where that is possible.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <argosy/format/detail/zarr/zarr_grid.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/policy/policy.hpp>

namespace argosy::detail {

// An independent policy. A window is the bytes of one group of shards. No window ends within a
// shard, and each is one call of the handle, because a shard is encoded in each call.
struct whole_shards {
  static constexpr std::string_view name = "whole_shards";
  std::int64_t window_bytes = 1;  // whole shards
  bool gathers = false;           // memory is scattered, so a window is copied into one buffer

  window next(access const& wanted, std::int64_t position) const {
    std::int64_t const left = wanted.end() - position;
    if (!wanted.sorted) return window_of(wanted, position, left);
    std::int64_t const first = cursor(wanted.file, position).current().offset;
    std::int64_t const reach = (first / window_bytes + 1) * window_bytes;
    window w =
        window_of(wanted, position, std::min(left, wanted.file.bytes_before(reach) - position));
    if (gathers || w.pieces > 1) w.how = transfer_mode::gathered;
    return w;
  }
  std::int64_t buffer_for(access const& wanted) const {
    return std::min(window_bytes, wanted.bytes);
  }
  reason_text reason(access const&) const {
    return reason_text::of_words("each rank has whole shards");
  }
  friend bool operator==(whole_shards const&, whole_shards const&) = default;
};
static_assert(independent_policy<whole_shards>);

// Returns a number for a box of chunks or shards: the sum of the numbers that these have, modulo
// 2^61 - 1. If the sum over the boxes of all ranks is the number of the box around them, they fill
// it and do not overlap, unless two sums are equal by accident.
std::uint64_t print_of(zarr_box const& b, std::size_t dimensions) noexcept;
std::uint64_t sum_of_prints(std::uint64_t a, std::uint64_t b) noexcept;

// The amounts of an array that ranks have in one call, and where. They reduce it.
struct shard_shares {
  std::int32_t others = 0;  // ranks that need the others, for instance because they cut shards
  std::int64_t bytes = 0;   // the sum
  std::int64_t most_bytes = 0;
  std::uint64_t prints = 0;  // the sum
  zarr_box around = {};      // an empty box at first

  void combine(shard_shares const& other) noexcept {
    others += other.others;
    bytes = bytes > INT64_MAX - other.bytes ? INT64_MAX : bytes + other.bytes;
    most_bytes = std::max(most_bytes, other.most_bytes);
    prints = sum_of_prints(prints, other.prints);
    around.combine(other.around);
  }
  // Returns true if ranks go by themselves: no rank needs another one, no two have the same shard,
  // and none has twice its share of the work.
  bool by_themselves(int ranks, std::size_t dimensions) const noexcept {
    return others == 0 && most_bytes / 2 < bytes / ranks && prints == print_of(around, dimensions);
  }
};

// Returns what a rank has, before the reduction. A part of many small pieces needs other ranks,
// because a list of the pieces would take more memory than their bytes. Arrays that are narrower
// than their chunks have such parts.
shard_shares shares_of(access_kind kind, zarr_selection const& part) noexcept;

}  // namespace argosy::detail
