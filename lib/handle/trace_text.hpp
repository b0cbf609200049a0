// Lines of a trace, put together in memory: no format string is read for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace argosy::detail {

// Its memory is kept when it is cut. Whatever puts something may throw std::bad_alloc.
class trace_text {
 public:
  std::string_view view() const noexcept { return {memory_.get(), size_}; }
  std::size_t size() const noexcept { return size_; }
  void cut(std::size_t size) noexcept { size_ = size; }
  // A call of thousands of phases needs much, once.
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
  // Exactly so many of them, with zeros before.
  template <int Digits>
    requires(Digits % 3 == 0)
  void put_digits(std::int64_t n) {
    char* const at = room(Digits);
    auto rest = static_cast<std::uint32_t>(n);
    for (int i = Digits; i > 0; rest /= 1000) {  // by three: each division waits for the one before
      std::uint32_t const three = rest % 1000;
      at[--i] = static_cast<char>('0' + three % 10);
      at[--i] = static_cast<char>('0' + three / 10 % 10);
      at[--i] = static_cast<char>('0' + three / 100);
    }
  }
  // `Digits` behind the point, of a number that counts in the last of those.
  template <int Digits>
  void put_fraction(std::int64_t n) {
    constexpr std::int64_t unit = Digits == 3 ? 1'000 : Digits == 6 ? 1'000'000 : 1'000'000'000;
    static_assert(Digits == 3 || Digits == 6 || Digits == 9);
    put_number(n / unit);
    put('.');
    put_digits<Digits>(n % unit);
  }
  void put_argument(std::string_view name, std::int64_t value) {
    if (value < 0) return;
    put(name);
    put_number(value);
  }
  // On a line.
  void put_plainly(std::string_view s) {
    for (char const c : s) put(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  }
  // As JSON wants it; text takes the same.
  void put_quoted(std::string_view s) {
    put('"');
    for (char const c : s) {
      if (c == '"' || c == '\\') {
        put('\\');
        put(c);
      } else if (static_cast<unsigned char>(c) < 0x20) {
        put("\\u00");
        put("0123456789abcdef"[static_cast<unsigned char>(c) / 16]);
        put("0123456789abcdef"[static_cast<unsigned char>(c) % 16]);
      } else {
        put(c);
      }
    }
    put('"');
  }

 private:
  template <class Integer>
  void put_digits_of(Integer n, int base) {
    std::array<char, 24> digits;
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), n, base).ptr;
    put({digits.data(), end});
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
