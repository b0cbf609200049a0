// run_time_only<T>: a T that may be absent. A class with such a member can be made by the compiler,
// as long as the member is absent.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <new>
#include <type_traits>
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
    if (other.has_) emplace(*value_of(other));
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
  constexpr T const* get() const noexcept { return has_ ? value_of(*this) : nullptr; }

 private:
  // A pointer to the value that the bytes hold. The compiler never evaluates this.
  template <class Self>
  static constexpr auto* value_of(Self& self) noexcept {
    using value = std::conditional_t<std::is_const_v<Self>, T const, T>;
    using memory = std::conditional_t<std::is_const_v<Self>, void const, void>;
    return std::launder(static_cast<value*>(static_cast<memory*>(self.bytes_)));
  }
  template <class U>
  constexpr void emplace(U&& value) {
    ::new (static_cast<void*>(bytes_)) T(std::forward<U>(value));
    has_ = true;
  }
  constexpr void take(run_time_only& other) noexcept {
    if (!other.has_) return;
    emplace(std::move(*value_of(other)));
    other.clear();
  }
  constexpr void clear() noexcept {
    if (has_) std::destroy_at(value_of(*this));
    has_ = false;
  }

  // Bytes, because before clang 16 no union with such a member is literal.
  alignas(T) unsigned char bytes_[sizeof(T)] = {};
  bool has_ = false;
};

}  // namespace argosy::detail
