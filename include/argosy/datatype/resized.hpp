// resized(old, lower_bound, extent): the same bytes with other bounds. Copies then lie closer
// together or farther apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/numbers.hpp>
#include <argosy/extend.hpp>

namespace argosy {

namespace extend {

template <datatype Old, number LowerBound, number Extent>
class resized_type {
 public:
  using old_type = Old;
  static constexpr bool is_static =
      detail::is_fixed<LowerBound> && detail::is_fixed<Extent> && detail::static_datatype<Old>;

  constexpr resized_type()
    requires is_static
  = default;
  template <number L, number E>
  constexpr resized_type(Old old, L lower_bound, E extent)
      : old_(std::move(old)),
        lower_bound_(detail::store<LowerBound>(lower_bound)),
        extent_(detail::store<Extent>(extent)) {}

  constexpr layout form() const {
    layout form = detail::form_of(old_);
    detail::require_number(lower_bound_);
    detail::require_number(extent_);
    detail::builder::resize(form, lower_bound_, extent_);
    return form;
  }

  // Used by signature_of and file_form_of: the stream is `copies()` copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const { return 1; }
  template <datatype New>
  constexpr auto with(New old) const {
    return resized_type<New, LowerBound, Extent>(std::move(old), lower_bound_, extent_);
  }

 private:
  [[no_unique_address]] Old old_;
  [[no_unique_address]] LowerBound lower_bound_;
  [[no_unique_address]] Extent extent_;
};

template <datatype Old, number LowerBound, number Extent>
resized_type(Old, LowerBound, Extent)
    -> resized_type<Old, detail::stored_number<LowerBound>, detail::stored_number<Extent>>;

}  // namespace extend

// Returns the datatype with other bounds. For a layout use resized() of layout.hpp. If the bounds
// span 2^63 or more, form() throws invalid_layout.
//
//   io::contiguous(n, io::resized(io::type<float>, 0, 16))   every fourth float
template <datatype Old, number LowerBound, number Extent>
  requires(!std::same_as<Old, layout>)
constexpr auto resized(Old old, LowerBound lower_bound, Extent extent) {
  return extend::resized_type(std::move(old), lower_bound, extent);
}

}  // namespace argosy
