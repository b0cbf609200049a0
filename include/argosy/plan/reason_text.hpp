// The reason for the way of a call, as text that costs nothing unless it is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <argosy/extend.hpp>

namespace argosy::extend {

// A string that may also be a literal, which is not copied, or numbers, which become text only when
// it is read. Small calls therefore make no text on the heap.
class reason_text {
 public:
  using numbers = std::array<std::int64_t, 9>;
  using maker = std::string (*)(numbers const&, std::string_view name);

  // Not defaulted: `reason_text{}` would then clear the whole object first, which takes longer.
  constexpr reason_text() noexcept {}
  constexpr reason_text(maker words, numbers const& of, std::string_view name = {})
      : words_of_(words), numbers_(of), text_(name) {}
  constexpr reason_text(std::string text) noexcept : text_(std::move(text)) {}
  // Makes a reason from text that lives as long as the program.
  template <std::size_t N>
  constexpr reason_text(char const (&literal)[N]) noexcept : words_(literal, N - 1) {}
  static constexpr reason_text of_words(std::string_view literal) noexcept {
    reason_text r;
    r.say(literal);
    return r;
  }
  // Replaces the reason by text that lives as long as the program.
  constexpr void say(std::string_view literal) noexcept {
    words_ = literal;
    words_of_ = nullptr;
    text_.clear();
  }

  // Returns the text, which is made now if it consists of numbers.
  constexpr std::string str() const {
    return words_of_ ? words_of_(numbers_, text_) : std::string(words_) + text_;
  }
  constexpr operator std::string() const { return str(); }
  constexpr bool empty() const noexcept { return !words_of_ && words_.empty() && text_.empty(); }
  constexpr reason_text& operator+=(std::string_view more) {
    if (more.empty()) return *this;
    if (words_of_) *this = reason_text(str());
    text_ += more;
    return *this;
  }

  friend constexpr bool operator==(reason_text const& a, reason_text const& b) {
    return a.str() == b.str();
  }
  template <std::convertible_to<std::string_view> Text>
  friend constexpr bool operator==(reason_text const& a, Text const& b) {
    return a.str() == std::string_view(b);
  }
  friend std::ostream& operator<<(std::ostream& out, reason_text const& r) {
    return out << r.str();
  }

 private:
  std::string_view words_;    // followed by `text_`
  maker words_of_ = nullptr;  // null, or makes the text of `numbers_` and the name in `text_`
  numbers numbers_ = {};
  std::string text_;
};

}  // namespace argosy::extend
