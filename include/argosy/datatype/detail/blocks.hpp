// The form of irregular blocks: what all indexed constructors share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/numbers.hpp>

namespace argosy::detail {

// A list of one number, for all blocks.
template <number N>
struct same_for_all {
  [[no_unique_address]] N value;
  constexpr std::int64_t operator[](std::size_t) const noexcept { return value; }
};

// Blocks of lengths[i] copies of `old` at displacements[i] * unit bytes.
template <class Lengths, class Displacements>
constexpr layout place_blocks(Lengths const& lengths, Displacements const& displacements, std::int64_t unit,
                              layout const& old) {
  assembler all;
  bool const dense = old.pieces() == 1 && old.size() == old.extent() && old.origin() == old.lower_bound();
  layout block;
  std::int64_t block_length = 0;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    std::int64_t const length = lengths[i];
    if (length == 0) continue;
    std::int64_t const displacement = mul(displacements[i], unit);
    if (dense) {
      all.add_bytes(add(displacement, old.origin()), mul(length, old.size()));
      continue;
    }
    if (length != block_length) {
      block = repeat(length, old.extent(), old);
      block_length = length;
    }
    all.add(displacement, block);
  }
  return all.finish();
}

}  // namespace argosy::detail
