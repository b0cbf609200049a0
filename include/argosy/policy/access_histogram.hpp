// The distribution of the requested bytes of a collective call over its range in the file. File
// domains are balanced by it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <argosy/policy/access.hpp>
#include <argosy/policy/access_summary.hpp>

namespace argosy {

namespace detail {

// Requested bytes in equal parts of the range. Reduced over all ranks if the summary shows that it
// may pay.
struct access_histogram {
  static constexpr std::int64_t stretches = 128;  // equal parts of the range
  std::array<std::int64_t, stretches> bytes = {};

  constexpr void combine(access_histogram const& other) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = bytes[i] > INT64_MAX - other.bytes[i] ? INT64_MAX : bytes[i] + other.bytes[i];
  }
  // Returns the offset at which part k begins, for k from 0 to `stretches`.
  static constexpr std::int64_t begin_of(access_summary const& all, std::int64_t k) {
    return all.low + all.span() / stretches * k + all.span() % stretches * k / stretches;
  }
};

// Returns the bytes of each part that one rank requests. O(stretches x depth). Precondition: the
// access is sorted.
constexpr access_histogram histogram_of(access const& mine, access_summary const& all) {
  access_histogram h;
  std::int64_t before = mine.position;
  for (std::int64_t k = 0; k < access_histogram::stretches && before < mine.end(); ++k) {
    std::int64_t const to = std::clamp(
        mine.file.bytes_before(access_histogram::begin_of(all, k + 1)), before, mine.end());
    h.bytes[static_cast<std::size_t>(k)] = to - before;
    before = to;
  }
  return h;
}

// Returns true if the requested bytes may be uneven. Accesses that fill most of their range cannot
// be.
constexpr bool may_be_uneven(access_summary const& all) { return all.bytes < all.span() / 4 * 3; }

}  // namespace detail

}  // namespace argosy
