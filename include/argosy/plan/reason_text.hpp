// Why a call went as it did, in words that cost nothing where nobody reads them.
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

namespace argosy {

// A string, but what it is made of may be a literal, which is not copied, or numbers, of which the
// words are made where somebody asks for them: small calls make no text on the heap.
class reason_text {
 public:
  using numbers = std::array<std::int64_t, 5>;
  using maker = std::string (*)(numbers const&, std::string_view name);

  reason_text() = default;
  reason_text(maker words, numbers const& of, std::string name) noexcept
      : words_of_(words), numbers_(of), text_(std::move(name)) {}
  reason_text(std::string text) noexcept : text_(std::move(text)) {}
  // Words that live as long as the program.
  template <std::size_t N>
  constexpr reason_text(char const (&literal)[N]) noexcept : words_(literal, N - 1) {}
  static reason_text of_words(std::string_view literal) noexcept {
    reason_text r;
    r.say(literal);
    return r;
  }
  // The same, in the place of what was there.
  void say(std::string_view literal) noexcept {
    words_ = literal;
    words_of_ = nullptr;
    text_.clear();
  }

  std::string str() const {
    return words_of_ ? words_of_(numbers_, text_) : std::string(words_) + text_;
  }
  operator std::string() const { return str(); }
  bool empty() const noexcept { return !words_of_ && words_.empty() && text_.empty(); }
  reason_text& operator+=(std::string_view more) {
    if (more.empty()) return *this;
    if (words_of_) *this = reason_text(str());
    text_ += more;
    return *this;
  }

  friend bool operator==(reason_text const& a, reason_text const& b) { return a.str() == b.str(); }
  template <std::convertible_to<std::string_view> Text>
  friend bool operator==(reason_text const& a, Text const& b) {
    return a.str() == std::string_view(b);
  }
  friend std::ostream& operator<<(std::ostream& out, reason_text const& r) {
    return out << r.str();
  }

 private:
  std::string_view words_;    // then `text_`
  maker words_of_ = nullptr;  // if there is one: of `numbers_` and the name in `text_`
  numbers numbers_ = {};
  std::string text_;
};

}  // namespace argosy
