// Sums that ranks reduce to find out whether the parts of all ranks cover an array.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/error/failure.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::detail {

// The bytes of a part, in two halves, which cannot overflow. After a reduction, the bytes of all
// parts.
struct part_cover {
  std::uint64_t high = 0, low = 0;
  std::uint64_t hash = 0;  // like block_part::cover, for the whole array; only in develop mode
  int develop = 0;         // 1 if one rank is in develop mode

  void combine(part_cover const& other) noexcept {
    high += other.high;
    low += other.low;
    hash += other.hash;
    develop |= other.develop;
  }
  // Returns a failure if elements of an array of so many bytes are left out, as far as the sums
  // show. Parts may overlap.
  failure fault(std::int64_t array_bytes) const;
};

// Returns the cover of a part from its size, without visiting its pieces.
part_cover cover_of(layout const& filetype, bool develop);
// Returns the hash of the cover of a part, without its bytes. Visits the pieces.
part_cover exact_cover_of(layout const& filetype);

// Returns true if these hints, or the environment, switch develop mode on. Local.
bool develops(hints const& given);

}  // namespace argosy::detail
