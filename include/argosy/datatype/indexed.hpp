// indexed and hindexed: blocks of any lengths at any displacements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/blocks.hpp>
#include <argosy/datatype/detail/numbers.hpp>

namespace argosy {

// Blocks of several lengths: block i has lengths[i] copies of `old` and starts displacements[i]
// extents of `old` from the origin.
//   io::indexed({2, 1}, {0, 5}, io::type<double>)
// Blocks of length 0 count for nothing, not even for the bounds. The object stores its lists, and
// lists of unknown size on the heap. If a length is negative or the lists differ in size, form()
// throws invalid_layout.
template <detail::number_store Lengths, detail::number_store Displacements, datatype Old>
class indexed
    : public detail::blocks<indexed<Lengths, Displacements, Old>, Lengths, Displacements, Old> {
  using base = detail::blocks<indexed, Lengths, Displacements, Old>;
  friend base;
  static_assert(detail::all_may_be_not_negative<Lengths>(),
                "argosy::indexed: a block length is negative; give 0 or more");
  static_assert(detail::sizes_may_agree<Lengths, Displacements>(),
                "argosy::indexed: the lists differ in size; give one block length and one "
                "displacement for each block");
  static constexpr char const* name = "indexed";
  static constexpr std::int64_t unit(std::int64_t extent) { return extent; }

 public:
  using base::base;
  template <datatype New>
  constexpr auto with(New old) const {
    return base::template as<indexed<Lengths, Displacements, New>>(std::move(old));
  }
};

template <detail::number_sequence L, detail::number_sequence D, datatype Old>
indexed(L const&, D const&, Old) -> indexed<detail::stored_list<L>, detail::stored_list<D>, Old>;
template <std::size_t N, std::size_t M, datatype Old>
indexed(detail::any_integer const (&)[N], detail::any_integer const (&)[M], Old)
    -> indexed<numbers<N>, numbers<M>, Old>;

// Like `indexed`, with displacements in bytes. Blocks of length 0 count for nothing, not even for
// the bounds. The object stores its lists, and lists of unknown size on the heap. If a length is
// negative or the lists differ in size, form() throws invalid_layout.
template <detail::number_store Lengths, detail::number_store Displacements, datatype Old>
class hindexed
    : public detail::blocks<hindexed<Lengths, Displacements, Old>, Lengths, Displacements, Old> {
  using base = detail::blocks<hindexed, Lengths, Displacements, Old>;
  friend base;
  static_assert(detail::all_may_be_not_negative<Lengths>(),
                "argosy::hindexed: a block length is negative; give 0 or more");
  static_assert(detail::sizes_may_agree<Lengths, Displacements>(),
                "argosy::hindexed: the lists differ in size; give one block length and one "
                "displacement for each block");
  static constexpr char const* name = "hindexed";
  static constexpr std::int64_t unit(std::int64_t) { return 1; }

 public:
  using base::base;
  template <datatype New>
  constexpr auto with(New old) const {
    return base::template as<hindexed<Lengths, Displacements, New>>(std::move(old));
  }
};

template <detail::number_sequence L, detail::number_sequence D, datatype Old>
hindexed(L const&, D const&, Old) -> hindexed<detail::stored_list<L>, detail::stored_list<D>, Old>;
template <std::size_t N, std::size_t M, datatype Old>
hindexed(detail::any_integer const (&)[N], detail::any_integer const (&)[M], Old)
    -> hindexed<numbers<N>, numbers<M>, Old>;

}  // namespace argosy
