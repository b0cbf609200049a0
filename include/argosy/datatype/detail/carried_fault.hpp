// Why a value cannot be: kept where it was made, thrown where it is asked for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <utility>

namespace argosy::detail {

// A rank whose data cannot be described must come to the call all the same: others wait for it
// there. One pointer, and no heap where nothing is wrong.
class carried_fault {
 public:
  carried_fault() noexcept = default;
  // What is being handled, in a catch clause.
  static carried_fault current() noexcept {
    carried_fault f;
    f.thrown_ = std::current_exception();
    return f;
  }
  // What `describe` throws, if anything.
  template <class F>
  static carried_fault of(F&& describe) noexcept {
    try {
      std::forward<F>(describe)();
      return {};
    } catch (...) {
      return current();
    }
  }

  explicit operator bool() const noexcept { return static_cast<bool>(thrown_); }
  void require_none() const {
    if (thrown_) [[unlikely]]
      std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
};

}  // namespace argosy::detail
