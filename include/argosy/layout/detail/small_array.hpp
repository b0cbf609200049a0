// A growable array that stores its first elements inside itself, so that a regular layout never
// allocates. Works in constant expressions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace argosy::detail {

template <class T, std::size_t Inline>
class small_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  constexpr small_array() noexcept { start(); }
  constexpr small_array(small_array const& other) : small_array() { assign(other); }
  constexpr small_array(small_array&& other) noexcept : small_array() { take(other); }
  constexpr small_array& operator=(small_array const& other) {
    if (this != &other) assign(other);
    return *this;
  }
  constexpr small_array& operator=(small_array&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  constexpr ~small_array() { release(); }

  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* data() noexcept { return heap_ ? heap_ : inline_; }
  constexpr T const* data() const noexcept { return heap_ ? heap_ : inline_; }
  constexpr T& operator[](std::size_t i) noexcept { return data()[i]; }
  constexpr T const& operator[](std::size_t i) const noexcept { return data()[i]; }
  constexpr T* begin() noexcept { return data(); }
  constexpr T* end() noexcept { return data() + size_; }
  constexpr T const* begin() const noexcept { return data(); }
  constexpr T const* end() const noexcept { return data() + size_; }
  constexpr T& back() noexcept { return data()[size_ - 1]; }
  constexpr T const& back() const noexcept { return data()[size_ - 1]; }
  constexpr operator std::span<T const>() const noexcept { return {data(), size_}; }

  constexpr void push_back(T value) {
    if (size_ == capacity_) reserve(2 * capacity_);
    data()[size_++] = value;
  }
  constexpr void pop_back() noexcept { --size_; }
  constexpr void clear() noexcept { size_ = 0; }
  constexpr void truncate(std::size_t n) noexcept { size_ = n; }

  constexpr void reserve(std::size_t n) {
    if (n <= capacity_) return;
    T* grown = new T[n];
    std::copy(begin(), end(), grown);
    delete[] heap_;
    heap_ = grown;
    capacity_ = n;
  }

  friend constexpr bool operator==(small_array const& a, small_array const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  // Constant evaluation may not copy indeterminate values. At run time no unused element is
  // cleared.
  constexpr void start() noexcept {
    if (std::is_constant_evaluated())
      for (T& element : inline_) element = T{};
  }
  constexpr void assign(small_array const& other) {
    size_ = 0;
    reserve(other.size_);
    std::copy(other.begin(), other.end(), data());
    size_ = other.size_;
  }
  constexpr void take(small_array& other) noexcept {
    if (other.heap_) {
      heap_ = std::exchange(other.heap_, nullptr);
      capacity_ = std::exchange(other.capacity_, Inline);
    } else {
      std::copy(other.begin(), other.end(), inline_);
    }
    size_ = std::exchange(other.size_, 0);
  }
  constexpr void release() noexcept {
    delete[] heap_;
    heap_ = nullptr;
    capacity_ = Inline;
    size_ = 0;
  }

  T inline_[Inline];
  T* heap_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = Inline;
};

}  // namespace argosy::detail
