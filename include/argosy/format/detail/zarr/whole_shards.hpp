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
// shard, because the shard would then be encoded twice.
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
    if (gathers) w.how = transfer_mode::gathered;
    return w;
  }
  std::int64_t buffer_for(access const&) const { return window_bytes; }
  reason_text reason(access const&) const {
    return reason_text::of_words("each rank has whole shards");
  }
  friend bool operator==(whole_shards const&, whole_shards const&) = default;
};
static_assert(independent_policy<whole_shards>);

// The amounts of an array that ranks have in one call. They reduce it.
struct shard_shares {
  std::int32_t others = 0;  // ranks that need the others, for instance because they cut shards
  std::int64_t bytes = 0;   // the sum
  std::int64_t most_bytes = 0;

  void combine(shard_shares const& other) noexcept {
    others += other.others;
    bytes = bytes > INT64_MAX - other.bytes ? INT64_MAX : bytes + other.bytes;
    most_bytes = std::max(most_bytes, other.most_bytes);
  }
  // Returns true if ranks go by themselves: no rank needs another one, none has the same bytes as
  // another one, and none has twice its share of the work.
  bool by_themselves(int ranks, std::int64_t array_bytes) const noexcept {
    return others == 0 && bytes <= array_bytes && most_bytes / 2 < bytes / ranks;
  }
};

// Returns what a rank has, before the reduction.
inline shard_shares shares_of(access_kind kind, zarr_selection const& part) {
  bool const fits = kind == access_kind::read ? part.has_whole_chunks() : part.has_whole_shards();
  return {fits ? 0 : 1, part.file().size(), part.file().size()};
}

}  // namespace argosy::detail
