// run_time_only<T>: a T that may be absent. A class with such a member can be made by the compiler,
// as long as the member is absent.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>

namespace argosy::detail {

// Like std::optional, but literal for every T. Examples of T are std::exception_ptr and
// std::shared_ptr, which no constant expression may make. Moving and assigning must not throw for
// T.
template <class T>
class run_time_only {
 public:
  constexpr run_time_only() noexcept {}
  constexpr explicit run_time_only(T value) noexcept { emplace(std::move(value)); }
  constexpr run_time_only(run_time_only const& other) {
    if (other.has_) emplace(other.held_.value);
  }
  constexpr run_time_only(run_time_only&& other) noexcept { take(other); }
  constexpr run_time_only& operator=(run_time_only const& other) {
    if (this != &other) *this = run_time_only(other);
    return *this;
  }
  constexpr run_time_only& operator=(run_time_only&& other) noexcept {
    if (this == &other) return *this;
    clear();
    take(other);
    return *this;
  }
  constexpr ~run_time_only() { clear(); }

  // Returns the value, or null if it is absent.
  constexpr T const* get() const noexcept { return has_ ? &held_.value : nullptr; }

 private:
  // Literal, because one of its members is.
  union storage {
    constexpr storage() noexcept : none() {}
    constexpr ~storage() {}
    char none;
    T value;
  };

  template <class U>
  constexpr void emplace(U&& value) {
    std::construct_at(&held_.value, std::forward<U>(value));
    has_ = true;
  }
  constexpr void take(run_time_only& other) noexcept {
    if (!other.has_) return;
    emplace(std::move(other.held_.value));
    other.clear();
  }
  constexpr void clear() noexcept {
    if (has_) std::destroy_at(&held_.value);
    has_ = false;
  }

  storage held_;
  bool has_ = false;
};

}  // namespace argosy::detail
