// Why a call went as it did, in words that cost nothing where nobody reads them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace argosy {

// A string, but what it is made of may be a literal, which is not copied: small calls make no text on the heap.
class reason_text {
 public:
  reason_text() = default;
  reason_text(std::string text) noexcept : text_(std::move(text)) {}
  // Words that live as long as the program.
  template <std::size_t N>
  constexpr reason_text(char const (&literal)[N]) noexcept : words_(literal, N - 1) {}
  static reason_text of_words(std::string_view literal) noexcept {
    reason_text r;
    r.words_ = literal;
    return r;
  }

  std::string str() const { return std::string(words_) + text_; }
  operator std::string() const { return str(); }
  bool empty() const noexcept { return words_.empty() && text_.empty(); }
  reason_text& operator+=(std::string_view more) {
    text_ += more;
    return *this;
  }

  friend bool operator==(reason_text const& a, reason_text const& b) { return a.str() == b.str(); }
  friend bool operator==(reason_text const& a, std::string_view b) { return a.str() == b; }
  friend std::ostream& operator<<(std::ostream& out, reason_text const& r) { return out << r.words_ << r.text_; }

 private:
  std::string_view words_;  // then
  std::string text_;
};

}  // namespace argosy
