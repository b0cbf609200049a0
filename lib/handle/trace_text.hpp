// Lines of a trace, built in memory without format strings.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace argosy::detail {

// A text that reuses its memory after a cut. Every function that appends may throw std::bad_alloc.
class trace_text {
 public:
  std::string_view view() const noexcept { return {memory_.get(), size_}; }
  std::size_t size() const noexcept { return size_; }
  void cut(std::size_t size) noexcept { size_ = size; }
  // Frees memory above `most`, because one call of thousands of phases may need much.
  void give_back(std::size_t most) noexcept {
    if (capacity_ <= most) return;
    memory_.reset();
    size_ = capacity_ = 0;
  }

  void put(std::string_view s) { std::memcpy(room(s.size()), s.data(), s.size()); }
  void put(char c) { *room(1) = c; }
  void put_number(std::int64_t n) { put_digits_of(n, 10); }
  void put_hex(std::uint64_t n) {
    put("0x");
    put_digits_of(n, 16);
  }
  // Appends exactly `Digits` digits, with zeros before.
  template <int Digits>
    requires(Digits % 3 == 0)
  void put_digits(std::int64_t n) {
    char* const at = room(Digits);
    auto rest = static_cast<std::uint32_t>(n);
    // three at a time, because each division waits for the one before
    for (int i = Digits; i > 0; rest /= 1000) {
      std::uint32_t const three = rest % 1000;
      at[--i] = static_cast<char>('0' + three % 10);
      at[--i] = static_cast<char>('0' + three / 10 % 10);
      at[--i] = static_cast<char>('0' + three / 100);
    }
  }
  // Appends nanoseconds as microseconds.
  void put_time(std::int64_t ns) {
    put_number(ns / 1000);
    put('.');
    put_digits<3>(ns % 1000);
  }
  void put_argument(std::string_view name, std::int64_t value) {
    if (value < 0) return;
    put(name);
    put_number(value);
  }
  void put_argument(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    put(name);
    put_quoted(value);
  }
  // Appends a string in quotes, with the escapes of JSON.
  void put_quoted(std::string_view s) {
    put('"');
    put_escaped(s);
    put('"');
  }
  void put_escaped(std::string_view s) {
    constexpr auto is_special = [](char c) {
      return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
    };
    while (!s.empty()) {
      auto const plain = std::find_if(s.begin(), s.end(), is_special);
      put({s.begin(), plain});
      if (plain == s.end()) return;
      if (auto const c = static_cast<unsigned char>(*plain); c < 0x20) {
        put("\\u00");
        put("0123456789abcdef"[c / 16]);
        put("0123456789abcdef"[c % 16]);
      } else {
        put('\\');
        put(*plain);
      }
      s = {plain + 1, s.end()};
    }
  }

 private:
  template <class Integer>
  void put_digits_of(Integer n, int base) {
    constexpr std::size_t most = 24;
    char* const at = room(most);
    size_ -= static_cast<std::size_t>(at + most - std::to_chars(at, at + most, n, base).ptr);
  }
  char* room(std::size_t n) {
    if (capacity_ - size_ < n) [[unlikely]]
      grow(n);
    char* const at = memory_.get() + size_;
    size_ += n;
    return at;
  }
  void grow(std::size_t n) {
    std::size_t const more = std::max({size_ + n, 2 * capacity_, std::size_t{1024}});
    std::unique_ptr<char[]> larger(new char[more]);
    if (size_ > 0) std::memcpy(larger.get(), memory_.get(), size_);
    memory_ = std::move(larger);
    capacity_ = more;
  }

  std::unique_ptr<char[]> memory_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace argosy::detail
