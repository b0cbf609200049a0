// vector and hvector: blocks of copies, evenly spaced.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/numbers.hpp>

namespace argosy {

// `count` blocks of `blocklength` copies; the blocks start `stride` extents of `old` apart. The stride may be negative.
//   io::vector(ny, 1, nx, io::type<double>)     a column of an ny x nx array
// If the count or the block length is negative, form() throws invalid_layout.
template <number Count, number BlockLength, number Stride, datatype Old>
class vector {
  static_assert(detail::may_be_not_negative<Count>, "argosy::vector: the count is negative; give 0 or more");
  static_assert(detail::may_be_not_negative<BlockLength>,
                "argosy::vector: the block length is negative; give 0 or more");

 public:
  using old_type = Old;
  static constexpr bool is_static =
      is_fixed<Count> && is_fixed<BlockLength> && is_fixed<Stride> && static_datatype<Old>;

  constexpr vector()
    requires is_static
  = default;
  template <number N, number B, number S>
  constexpr vector(N count, B blocklength, S stride, Old old)
      : count_(detail::store<Count>(count)),
        blocklength_(detail::store<BlockLength>(blocklength)),
        stride_(detail::store<Stride>(stride)),
        old_(std::move(old)) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    auto const& old = form_of(old_);
    check();
    return repeat(count_, detail::mul(stride_, old.extent()), repeat(blocklength_, old.extent(), old));
  }

  // For signature_of and file_form_of: the stream is that many copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const {
    check();
    return detail::mul(count_, blocklength_);
  }
  template <datatype New>
  constexpr auto with(New old) const {
    return vector<Count, BlockLength, Stride, New>(count_, blocklength_, stride_, std::move(old));
  }

 private:
  constexpr void check() const {
    detail::require_count("vector", "the count", count_);
    detail::require_count("vector", "the block length", blocklength_);
    detail::require_number(stride_);
  }

  [[no_unique_address]] Count count_;
  [[no_unique_address]] BlockLength blocklength_;
  [[no_unique_address]] Stride stride_;
  [[no_unique_address]] Old old_;
};

template <number Count, number BlockLength, number Stride, datatype Old>
vector(Count, BlockLength, Stride, Old)
    -> vector<stored_number<Count>, stored_number<BlockLength>, stored_number<Stride>, Old>;

// Like `vector`, with the stride in bytes.
template <number Count, number BlockLength, number Stride, datatype Old>
class hvector {
  static_assert(detail::may_be_not_negative<Count>, "argosy::hvector: the count is negative; give 0 or more");
  static_assert(detail::may_be_not_negative<BlockLength>,
                "argosy::hvector: the block length is negative; give 0 or more");

 public:
  using old_type = Old;
  static constexpr bool is_static =
      is_fixed<Count> && is_fixed<BlockLength> && is_fixed<Stride> && static_datatype<Old>;

  constexpr hvector()
    requires is_static
  = default;
  template <number N, number B, number S>
  constexpr hvector(N count, B blocklength, S stride_bytes, Old old)
      : count_(detail::store<Count>(count)),
        blocklength_(detail::store<BlockLength>(blocklength)),
        stride_bytes_(detail::store<Stride>(stride_bytes)),
        old_(std::move(old)) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    auto const& old = form_of(old_);
    check();
    return repeat(count_, stride_bytes_, repeat(blocklength_, old.extent(), old));
  }

  // For signature_of and file_form_of: the stream is that many copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const {
    check();
    return detail::mul(count_, blocklength_);
  }
  template <datatype New>
  constexpr auto with(New old) const {
    return hvector<Count, BlockLength, Stride, New>(count_, blocklength_, stride_bytes_, std::move(old));
  }

 private:
  constexpr void check() const {
    detail::require_count("hvector", "the count", count_);
    detail::require_count("hvector", "the block length", blocklength_);
    detail::require_number(stride_bytes_);
  }

  [[no_unique_address]] Count count_;
  [[no_unique_address]] BlockLength blocklength_;
  [[no_unique_address]] Stride stride_bytes_;
  [[no_unique_address]] Old old_;
};

template <number Count, number BlockLength, number Stride, datatype Old>
hvector(Count, BlockLength, Stride, Old)
    -> hvector<stored_number<Count>, stored_number<BlockLength>, stored_number<Stride>, Old>;

}  // namespace argosy
