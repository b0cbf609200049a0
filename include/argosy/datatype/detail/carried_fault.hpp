// The reason why a value cannot exist. It is stored where the value is made, and thrown where the
// value is used.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <utility>

#include <argosy/datatype/detail/run_time_only.hpp>

namespace argosy::detail {

// Stores an exception for later. A rank that cannot describe its data must still take part in the
// collective call, because other ranks wait for it there. One pointer, and no heap without a fault.
class carried_fault {
 public:
  constexpr carried_fault() noexcept = default;
  // Returns the exception that is being handled. For a catch clause.
  static carried_fault current() noexcept {
    carried_fault f;
    f.thrown_ = run_time_only(std::current_exception());
    return f;
  }
  // Returns the exception that `describe` throws, if any. The compiler refuses an expression that
  // throws.
  template <class F>
  static constexpr carried_fault of(F&& describe) noexcept {
    try {
      std::forward<F>(describe)();
      return {};
    } catch (...) {
      return current();
    }
  }

  constexpr explicit operator bool() const noexcept { return thrown_.get() != nullptr; }
  constexpr void require_none() const {
    if (auto const* const thrown = thrown_.get()) [[unlikely]]
      std::rethrow_exception(*thrown);
  }

 private:
  run_time_only<std::exception_ptr> thrown_;
};

}  // namespace argosy::detail
