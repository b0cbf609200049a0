// indexed_block and hindexed_block: blocks of one length at any displacements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/blocks.hpp>
#include <argosy/datatype/detail/numbers.hpp>

namespace argosy {

// Every block has `blocklength` copies of `old`; displacements count extents of `old`.
//   io::indexed_block(3, cell_of_particle, io::type<double>)
// If the block length is negative, form() throws invalid_layout.
template <number BlockLength, detail::number_store Displacements, datatype Old>
class indexed_block {
  static_assert(detail::may_be_not_negative<BlockLength>,
                "argosy::indexed_block: the block length is negative; give 0 or more");

 public:
  using old_type = Old;
  static constexpr bool is_static =
      is_fixed<BlockLength> && detail::is_fixed_list<Displacements> && static_datatype<Old>;

  constexpr indexed_block()
    requires is_static
  = default;
  template <number B>
  constexpr indexed_block(B blocklength, Displacements displacements, Old old)
      : blocklength_(detail::store<BlockLength>(blocklength)),
        displacements_(std::move(displacements)),
        old_(std::move(old)) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    auto const& old = form_of(old_);
    check();
    return detail::place_blocks(detail::same_for_all<BlockLength>{blocklength_}, displacements_, old.extent(), old);
  }

  // For signature_of and file_form_of: the stream is that many copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const {
    check();
    return detail::mul(blocklength_, static_cast<std::int64_t>(displacements_.size()));
  }
  template <datatype New>
  constexpr auto with(New old) const {
    return indexed_block<BlockLength, Displacements, New>(blocklength_, displacements_, std::move(old));
  }

 private:
  constexpr void check() const {
    detail::require_count("indexed_block", "the block length", blocklength_);
    detail::require_numbers(displacements_);
  }

  [[no_unique_address]] BlockLength blocklength_;
  [[no_unique_address]] Displacements displacements_;
  [[no_unique_address]] Old old_;
};

template <number B, detail::number_sequence D, datatype Old>
indexed_block(B, D const&, Old) -> indexed_block<stored_number<B>, detail::stored_list<D>, Old>;
template <number B, std::size_t N, datatype Old>
indexed_block(B, detail::any_integer const (&)[N], Old) -> indexed_block<stored_number<B>, numbers<N>, Old>;

// Like `indexed_block`, with displacements in bytes.
// If the block length is negative, form() throws invalid_layout.
template <number BlockLength, detail::number_store Displacements, datatype Old>
class hindexed_block {
  static_assert(detail::may_be_not_negative<BlockLength>,
                "argosy::hindexed_block: the block length is negative; give 0 or more");

 public:
  using old_type = Old;
  static constexpr bool is_static =
      is_fixed<BlockLength> && detail::is_fixed_list<Displacements> && static_datatype<Old>;

  constexpr hindexed_block()
    requires is_static
  = default;
  template <number B>
  constexpr hindexed_block(B blocklength, Displacements displacements, Old old)
      : blocklength_(detail::store<BlockLength>(blocklength)),
        displacements_(std::move(displacements)),
        old_(std::move(old)) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    auto const& old = form_of(old_);
    check();
    return detail::place_blocks(detail::same_for_all<BlockLength>{blocklength_}, displacements_, 1, old);
  }

  // For signature_of and file_form_of: the stream is that many copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const {
    check();
    return detail::mul(blocklength_, static_cast<std::int64_t>(displacements_.size()));
  }
  template <datatype New>
  constexpr auto with(New old) const {
    return hindexed_block<BlockLength, Displacements, New>(blocklength_, displacements_, std::move(old));
  }

 private:
  constexpr void check() const {
    detail::require_count("hindexed_block", "the block length", blocklength_);
    detail::require_numbers(displacements_);
  }

  [[no_unique_address]] BlockLength blocklength_;
  [[no_unique_address]] Displacements displacements_;
  [[no_unique_address]] Old old_;
};

template <number B, detail::number_sequence D, datatype Old>
hindexed_block(B, D const&, Old) -> hindexed_block<stored_number<B>, detail::stored_list<D>, Old>;
template <number B, std::size_t N, datatype Old>
hindexed_block(B, detail::any_integer const (&)[N], Old) -> hindexed_block<stored_number<B>, numbers<N>, Old>;

}  // namespace argosy
