// Whether the parts of all ranks cover an array: sums that ranks reduce.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/error/failure.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::detail {

// The bytes of a part, in two halves, which cannot overflow; after a reduction those of all parts.
struct part_cover {
  std::uint64_t high = 0, low = 0;
  std::uint64_t hash = 0;  // as block_part::cover, of the whole array; only in develop mode
  int develop = 0;         // 1 if one rank is in develop mode

  void combine(part_cover const& other) noexcept {
    high += other.high;
    low += other.low;
    hash += other.hash;
    develop |= other.develop;
  }
  // A failure if elements of an array of so many bytes are left out, as far as that is known. Parts
  // may overlap.
  failure fault(std::int64_t array_bytes) const;
};

// Takes the size of the part, without going through its pieces.
part_cover cover_of(layout const& filetype, bool develop);
// Goes through the pieces of the part.
part_cover exact_cover_of(layout const& filetype);

// Returns true if these hints, or the environment, ask for develop mode. Local.
bool develops(hints const& given);

}  // namespace argosy::detail
