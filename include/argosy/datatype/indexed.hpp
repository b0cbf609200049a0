// indexed and hindexed: blocks of any lengths at any displacements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/blocks.hpp>
#include <argosy/datatype/detail/numbers.hpp>

namespace argosy {

// Block i has lengths[i] copies of `old` and starts displacements[i] extents of `old` from the origin.
//   io::indexed({2, 1}, {0, 5}, io::type<double>)
// Blocks of length 0 count for nothing, not even for the bounds. Keeps its lists: those of unknown size on the heap.
// If a length is negative or the lists differ in size, form() throws invalid_layout.
template <detail::number_store Lengths, detail::number_store Displacements, datatype Old>
class indexed {
  static_assert(detail::all_may_be_not_negative<Lengths>(),
                "argosy::indexed: a block length is negative; give 0 or more");
  static_assert(detail::sizes_may_agree<Lengths, Displacements>(),
                "argosy::indexed: the lists differ in size; give one block length and one displacement for each block");

 public:
  using old_type = Old;
  static constexpr bool is_static =
      detail::is_fixed_list<Lengths> && detail::is_fixed_list<Displacements> && static_datatype<Old>;

  constexpr indexed()
    requires is_static
  = default;
  constexpr indexed(Lengths lengths, Displacements displacements, Old old)
      : lengths_(std::move(lengths)), displacements_(std::move(displacements)), old_(std::move(old)) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    auto const& old = form_of(old_);
    check();
    return detail::place_blocks(lengths_, displacements_, old.extent(), old);
  }

  // For signature_of and file_form_of: the stream is that many copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const {
    check();
    return detail::sum(lengths_);
  }
  template <datatype New>
  constexpr auto with(New old) const {
    return indexed<Lengths, Displacements, New>(lengths_, displacements_, std::move(old));
  }

 private:
  constexpr void check() const {
    detail::require_same_size("indexed", "block lengths", lengths_, "displacements", displacements_);
    detail::require_all_not_negative("indexed", "block length", lengths_);
    detail::require_numbers(displacements_);
  }

  [[no_unique_address]] Lengths lengths_;
  [[no_unique_address]] Displacements displacements_;
  [[no_unique_address]] Old old_;
};

template <detail::number_sequence L, detail::number_sequence D, datatype Old>
indexed(L const&, D const&, Old) -> indexed<detail::stored_list<L>, detail::stored_list<D>, Old>;
template <std::size_t N, std::size_t M, datatype Old>
indexed(detail::any_integer const (&)[N], detail::any_integer const (&)[M], Old)
    -> indexed<numbers<N>, numbers<M>, Old>;

// Like `indexed`, with displacements in bytes.
// Blocks of length 0 count for nothing, not even for the bounds. Keeps its lists: those of unknown size on the heap.
// If a length is negative or the lists differ in size, form() throws invalid_layout.
template <detail::number_store Lengths, detail::number_store Displacements, datatype Old>
class hindexed {
  static_assert(detail::all_may_be_not_negative<Lengths>(),
                "argosy::hindexed: a block length is negative; give 0 or more");
  static_assert(
      detail::sizes_may_agree<Lengths, Displacements>(),
      "argosy::hindexed: the lists differ in size; give one block length and one displacement for each block");

 public:
  using old_type = Old;
  static constexpr bool is_static =
      detail::is_fixed_list<Lengths> && detail::is_fixed_list<Displacements> && static_datatype<Old>;

  constexpr hindexed()
    requires is_static
  = default;
  constexpr hindexed(Lengths lengths, Displacements displacements, Old old)
      : lengths_(std::move(lengths)), displacements_(std::move(displacements)), old_(std::move(old)) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    auto const& old = form_of(old_);
    check();
    return detail::place_blocks(lengths_, displacements_, 1, old);
  }

  // For signature_of and file_form_of: the stream is that many copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const {
    check();
    return detail::sum(lengths_);
  }
  template <datatype New>
  constexpr auto with(New old) const {
    return hindexed<Lengths, Displacements, New>(lengths_, displacements_, std::move(old));
  }

 private:
  constexpr void check() const {
    detail::require_same_size("hindexed", "block lengths", lengths_, "displacements", displacements_);
    detail::require_all_not_negative("hindexed", "block length", lengths_);
    detail::require_numbers(displacements_);
  }

  [[no_unique_address]] Lengths lengths_;
  [[no_unique_address]] Displacements displacements_;
  [[no_unique_address]] Old old_;
};

template <detail::number_sequence L, detail::number_sequence D, datatype Old>
hindexed(L const&, D const&, Old) -> hindexed<detail::stored_list<L>, detail::stored_list<D>, Old>;
template <std::size_t N, std::size_t M, datatype Old>
hindexed(detail::any_integer const (&)[N], detail::any_integer const (&)[M], Old)
    -> hindexed<numbers<N>, numbers<M>, Old>;

}  // namespace argosy
