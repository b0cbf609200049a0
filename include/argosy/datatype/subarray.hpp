// subarray(sizes, subsizes, starts, old): a box out of an array, in C or Fortran order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/box.hpp>
#include <argosy/datatype/detail/numbers.hpp>
#include <argosy/datatype/order.hpp>

namespace argosy {

// A box of an array.
//
//   io::subarray({ny, nx}, {ny - 2, nx - 2}, {1, 1}, io::type<double>)        without its border
//   io::subarray(io::list(io::constant<8>, n), io::list(io::constant<6>, m), io::list(1, 1),
//                io::type<double>)                         8 and 6 are known at compile time
// The extent is the whole array, so copies are arrays one after the other. If a number is negative
// or the box leaves the array, form() throws invalid_layout. If all numbers are fixed, that does
// not compile. An empty box is a layout without bytes. Costs O(dimensions), not O(pieces).
template <detail::number_store Sizes, detail::number_store Subsizes, detail::number_store Starts,
          datatype Old, detail::order_argument Order = detail::fixed_order<order::c>>
class subarray {
  static_assert(detail::sizes_may_agree<Sizes, Subsizes, Starts>(),
                "argosy::subarray: the lists differ in size; give one size, subsize and start for "
                "each dimension");
  static_assert(detail::common_size<Sizes, Subsizes, Starts>() != 0,
                "argosy::subarray: the array has no dimension; give at least one size");
  static_assert(detail::all_may_be_not_negative<Sizes>(),
                "argosy::subarray: a size is negative; give 0 or more");
  static_assert(detail::all_may_be_not_negative<Subsizes>(),
                "argosy::subarray: a subsize is negative; give 0 or more");
  static_assert(detail::all_may_be_not_negative<Starts>(),
                "argosy::subarray: a start is negative; give 0 or more");
  static_assert(
      detail::box_may_fit<Sizes, Subsizes, Starts>(),
      "argosy::subarray: start + subsize exceeds the size of a dimension; move or shrink the box");

 public:
  using old_type = Old;
  static constexpr bool is_static = detail::is_fixed_list<Sizes> &&
                                    detail::is_fixed_list<Subsizes> &&
                                    detail::is_fixed_list<Starts> &&
                                    detail::is_fixed_order<Order> && detail::static_datatype<Old>;

  constexpr subarray()
    requires is_static
  = default;
  constexpr subarray(Sizes sizes, Subsizes subsizes, Starts starts, Old old, Order order = {})
      : sizes_(std::move(sizes)),
        subsizes_(std::move(subsizes)),
        starts_(std::move(starts)),
        old_(std::move(old)),
        order_(order) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    layout form = detail::form_of(old_);
    check();
    detail::array_form array(form);
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      std::size_t const d = detail::from_fastest(order_, i, sizes_.size());
      array.add_box(sizes_[d], subsizes_[d], starts_[d]);
    }
    array.finish();
    return form;
  }

  // Returns the sizes of the whole array.
  constexpr Sizes const& sizes() const noexcept { return sizes_; }
  constexpr argosy::order element_order() const noexcept { return order_; }

  // Used by signature_of and file_form_of: the stream is `copies()` copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const {
    check();
    return detail::product(subsizes_);
  }
  template <datatype New>
  constexpr auto with(New old) const {
    return subarray<Sizes, Subsizes, Starts, New, Order>(sizes_, subsizes_, starts_, std::move(old),
                                                         order_);
  }

 private:
  constexpr void check() const {
    detail::require_same_size("subarray", "sizes", sizes_, "subsizes", subsizes_);
    detail::require_same_size("subarray", "sizes", sizes_, "starts", starts_);
    detail::require_box("subarray", sizes_, subsizes_, starts_);
  }

  [[no_unique_address]] Sizes sizes_;
  [[no_unique_address]] Subsizes subsizes_;
  [[no_unique_address]] Starts starts_;
  [[no_unique_address]] Old old_;
  [[no_unique_address]] Order order_;
};

template <detail::number_sequence A, detail::number_sequence B, detail::number_sequence C,
          datatype Old>
subarray(A const&, B const&, C const&, Old)
    -> subarray<detail::stored_list<A>, detail::stored_list<B>, detail::stored_list<C>, Old>;
template <detail::number_sequence A, detail::number_sequence B, detail::number_sequence C,
          datatype Old, class Order>
subarray(A const&, B const&, C const&, Old, Order)
    -> subarray<detail::stored_list<A>, detail::stored_list<B>, detail::stored_list<C>, Old, Order>;
template <std::size_t A, std::size_t B, std::size_t C, datatype Old>
subarray(detail::any_integer const (&)[A], detail::any_integer const (&)[B],
         detail::any_integer const (&)[C], Old)
    -> subarray<numbers<A>, numbers<B>, numbers<C>, Old>;
template <std::size_t A, std::size_t B, std::size_t C, datatype Old, class Order>
subarray(detail::any_integer const (&)[A], detail::any_integer const (&)[B],
         detail::any_integer const (&)[C], Old, Order)
    -> subarray<numbers<A>, numbers<B>, numbers<C>, Old, Order>;

}  // namespace argosy
