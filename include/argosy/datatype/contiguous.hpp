// contiguous(count, old): copies of a datatype, one extent apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/numbers.hpp>

namespace argosy {

// `count` copies of a datatype.
//
//   io::contiguous(5, io::type<double>)         five doubles, known at run time
//   io::contiguous(io::constant<5>, io::type<double>)  known at compile time
// If the count is negative, form() throws invalid_layout.
template <number Count, datatype Old>
class contiguous {
  static_assert(detail::may_be_not_negative<Count>,
                "argosy::contiguous: the count is negative; give 0 or more");

 public:
  using old_type = Old;
  static constexpr bool is_static = detail::is_fixed<Count> && detail::static_datatype<Old>;

  constexpr contiguous()
    requires is_static
  = default;
  template <number N>
  constexpr contiguous(N count, Old old)
      : count_(detail::store<Count>(count)), old_(std::move(old)) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    layout form = detail::form_of(old_);
    check();
    detail::multiply(form, count_, form.extent());
    return form;
  }

  // Used by signature_of and file_form_of: the stream is `copies()` copies of `old`.
  constexpr Old const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const {
    check();
    return count_;
  }
  template <datatype New>
  constexpr auto with(New old) const {
    return contiguous<Count, New>(count_, std::move(old));
  }

 private:
  constexpr void check() const { detail::require_count("contiguous", "the count", count_); }

  [[no_unique_address]] Count count_;
  [[no_unique_address]] Old old_;
};

template <number Count, datatype Old>
contiguous(Count, Old) -> contiguous<detail::stored_number<Count>, Old>;

}  // namespace argosy
