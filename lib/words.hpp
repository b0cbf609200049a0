// The words of small text forms: `key=value key=a:b`, as scenarios and troubles are written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <argosy/handle/tracer.hpp>

namespace argosy::detail {

// Up to the separator, which is taken away, too.
inline std::string_view next_word(std::string_view& text, char separator) {
  auto const at = text.find(separator);
  std::string_view const part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

// Each takes the word that is quoted if it has to be refused.
struct word_reader {
  char const* function;  // that was asked to parse

  [[noreturn]] void refuse(std::string_view word, std::string_view why) const {
    throw std::invalid_argument(fmt::format("{}: '{}': {}", function, word, why));
  }
  template <class T>
  T number(std::string_view text, std::string_view word) const {
    T value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse(word, "not a number that fits");
    return value;
  }
  // By its name, like ENOSPC.
  std::error_code errno_named(std::string_view text, std::string_view word) const {
    for (int e = 1; e < 4096; ++e)
      if (std::error_code const code(e, std::system_category()); error_name(code) == text) return code;
    refuse(word, "not the name of an errno");
  }
};

}  // namespace argosy::detail
