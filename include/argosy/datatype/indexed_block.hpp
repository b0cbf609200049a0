// indexed_block and hindexed_block: blocks of one length at any displacements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/blocks.hpp>
#include <argosy/datatype/detail/numbers.hpp>

namespace argosy {

// Blocks of `blocklength` copies of `old`. Displacements count extents of `old`.
//   io::indexed_block(3, cell_of_particle, io::type<double>)
// If the block length is negative, form() throws invalid_layout.
template <number BlockLength, detail::number_store Displacements, datatype Old>
class indexed_block : public detail::blocks<indexed_block<BlockLength, Displacements, Old>,
                                            BlockLength, Displacements, Old> {
  using base = detail::blocks<indexed_block, BlockLength, Displacements, Old>;
  friend base;
  static_assert(detail::may_be_not_negative<BlockLength>,
                "argosy::indexed_block: the block length is negative; give 0 or more");
  static constexpr char const* name = "indexed_block";
  static constexpr std::int64_t unit(std::int64_t extent) { return extent; }

 public:
  constexpr indexed_block()
    requires base::is_static
  = default;
  template <number B>
  constexpr indexed_block(B blocklength, Displacements displacements, Old old)
      : base(detail::store<BlockLength>(blocklength), std::move(displacements), std::move(old)) {}
  template <datatype New>
  constexpr auto with(New old) const {
    return base::template as<indexed_block<BlockLength, Displacements, New>>(std::move(old));
  }
};

template <number B, detail::number_sequence D, datatype Old>
indexed_block(B, D const&, Old)
    -> indexed_block<detail::stored_number<B>, detail::stored_list<D>, Old>;
template <number B, std::size_t N, datatype Old>
indexed_block(B, detail::any_integer const (&)[N], Old)
    -> indexed_block<detail::stored_number<B>, numbers<N>, Old>;

// Like `indexed_block`, with displacements in bytes. If the block length is negative, form() throws
// invalid_layout.
template <number BlockLength, detail::number_store Displacements, datatype Old>
class hindexed_block : public detail::blocks<hindexed_block<BlockLength, Displacements, Old>,
                                             BlockLength, Displacements, Old> {
  using base = detail::blocks<hindexed_block, BlockLength, Displacements, Old>;
  friend base;
  static_assert(detail::may_be_not_negative<BlockLength>,
                "argosy::hindexed_block: the block length is negative; give 0 or more");
  static constexpr char const* name = "hindexed_block";
  static constexpr std::int64_t unit(std::int64_t) { return 1; }

 public:
  constexpr hindexed_block()
    requires base::is_static
  = default;
  template <number B>
  constexpr hindexed_block(B blocklength, Displacements displacements, Old old)
      : base(detail::store<BlockLength>(blocklength), std::move(displacements), std::move(old)) {}
  template <datatype New>
  constexpr auto with(New old) const {
    return base::template as<hindexed_block<BlockLength, Displacements, New>>(std::move(old));
  }
};

template <number B, detail::number_sequence D, datatype Old>
hindexed_block(B, D const&, Old)
    -> hindexed_block<detail::stored_number<B>, detail::stored_list<D>, Old>;
template <number B, std::size_t N, datatype Old>
hindexed_block(B, detail::any_integer const (&)[N], Old)
    -> hindexed_block<detail::stored_number<B>, numbers<N>, Old>;

}  // namespace argosy
