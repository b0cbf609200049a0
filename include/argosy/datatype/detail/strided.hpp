// The common part of vector and hvector: blocks of copies, evenly spaced.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/numbers.hpp>

namespace argosy::detail {

// Self has its name, and unit(extent) returns the bytes of a stride of 1.
template <class Self, number Count, number BlockLength, number Stride, datatype Old>
class strided {
 public:
  using old_type = Old;
  static constexpr bool is_static =
      is_fixed<Count> && is_fixed<BlockLength> && is_fixed<Stride> && static_datatype<Old>;

  constexpr strided()
    requires is_static
  = default;
  template <number N, number B, number S>
  constexpr strided(N count, B blocklength, S stride, Old old)
      : count_(store<Count>(count)),
        blocklength_(store<BlockLength>(blocklength)),
        stride_(store<Stride>(stride)),
        old_(std::move(old)) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    layout form = form_of(old_);
    check();
    std::int64_t const extent = form.extent();
    multiply(form, blocklength_, extent);
    multiply(form, count_, mul(stride_, Self::unit(extent)));
    return form;
  }

  // Used by signature_of and file_form_of: the stream is `copies()` copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const {
    check();
    return mul(count_, blocklength_);
  }

 protected:
  template <class Other, datatype New>
  constexpr Other as(New old) const {
    return Other(count_, blocklength_, stride_, std::move(old));
  }

 private:
  constexpr void check() const {
    require_count(Self::name, "the count", count_);
    require_count(Self::name, "the block length", blocklength_);
    require_number(stride_);
  }

  [[no_unique_address]] Count count_;
  [[no_unique_address]] BlockLength blocklength_;
  [[no_unique_address]] Stride stride_;
  [[no_unique_address]] Old old_;
};

}  // namespace argosy::detail
