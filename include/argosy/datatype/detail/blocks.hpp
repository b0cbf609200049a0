// The common part of the four indexed constructors: irregular blocks, of several lengths or of one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/numbers.hpp>

namespace argosy::detail {

// The lengths of the blocks, as a list of numbers.
template <class Lengths>
struct block_lengths {
  static constexpr bool is_static = is_fixed_list<Lengths>;
  [[no_unique_address]] Lengths all;

  constexpr std::int64_t operator[](std::size_t i) const noexcept { return all[i]; }
  constexpr std::int64_t copies(std::size_t) const { return sum(all); }
  template <class Displacements>
  constexpr void check(char const* name, Displacements const& displacements) const {
    require_same_size(name, "block lengths", all, "displacements", displacements);
    require_all_not_negative(name, "block length", all);
  }
};
// One number for all blocks.
template <number N>
struct block_lengths<N> {
  static constexpr bool is_static = is_fixed<N>;
  [[no_unique_address]] N all;

  constexpr std::int64_t operator[](std::size_t) const noexcept { return all; }
  constexpr std::int64_t copies(std::size_t blocks) const {
    return mul(all, static_cast<std::int64_t>(blocks));
  }
  template <class Displacements>
  constexpr void check(char const* name, Displacements const&) const {
    require_count(name, "the block length", all);
  }
};

// Returns blocks of lengths[i] copies of `old` at displacements[i] * unit bytes.
template <class Lengths, class Displacements>
constexpr layout place_blocks(Lengths const& lengths, Displacements const& displacements,
                              std::int64_t unit, layout const& old) {
  assembler all;
  bool const dense =
      old.pieces() == 1 && old.size() == old.extent() && old.origin() == old.lower_bound();
  // Few blocks often join, and need no heap.
  if (dense && displacements.size() > builder::longest_concat) all.reserve(displacements.size());
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

// Self has its name, and unit(extent) returns the bytes of a displacement of 1.
template <class Self, class Lengths, number_store Displacements, datatype Old>
class blocks {
 public:
  using old_type = Old;
  static constexpr bool is_static =
      block_lengths<Lengths>::is_static && is_fixed_list<Displacements> && static_datatype<Old>;

  constexpr blocks()
    requires is_static
  = default;
  constexpr blocks(Lengths lengths, Displacements displacements, Old old)
      : lengths_{std::move(lengths)},
        displacements_(std::move(displacements)),
        old_(std::move(old)) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    auto const& old = form_of(old_);
    check();
    return place_blocks(lengths_, displacements_, Self::unit(old.extent()), old);
  }

  // Used by signature_of and file_form_of: the stream is `copies()` copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const {
    check();
    return lengths_.copies(displacements_.size());
  }

 protected:
  template <class Other, datatype New>
  constexpr Other as(New old) const {
    return Other(lengths_.all, displacements_, std::move(old));
  }

 private:
  constexpr void check() const {
    lengths_.check(Self::name, displacements_);
    require_numbers(displacements_);
  }

  [[no_unique_address]] block_lengths<Lengths> lengths_;
  [[no_unique_address]] Displacements displacements_;
  [[no_unique_address]] Old old_;
};

}  // namespace argosy::detail
