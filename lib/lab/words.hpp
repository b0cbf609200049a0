// Parses and prints short text forms such as `key=value key=a:b`, for scenarios and troubles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <argosy/handle/tracer.hpp>

namespace argosy::lab::detail {

// Returns the text before the separator, and removes it and the separator from `text`.
inline std::string_view next_word(std::string_view& text, char separator) {
  auto const at = text.find(separator);
  std::string_view const part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

// Parses values of words. Each function also gets the word, for the message if it is invalid.
struct word_reader {
  char const* function;  // the parsing function, for messages

  [[noreturn]] void refuse(std::string_view word, std::string_view why) const {
    throw std::invalid_argument(fmt::format("{}: '{}': {}", function, word, why));
  }
  template <class T>
  T number(std::string_view text, std::string_view word) const {
    T value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      refuse(word, "not a number that fits");
    return value;
  }
  // Returns a number of at least `least`; a factor, or a time in ns that a clock of 63 bits can
  // still add.
  std::int64_t number_from(std::int64_t least, std::string_view text, std::string_view word) const {
    auto const n = number<std::int64_t>(text, word);
    if (n < least) refuse(word, fmt::format("{} is less than {}", n, least));
    return n;
  }
  double factor(std::string_view text, std::string_view word) const {
    auto const x = number<double>(text, word);
    if (!std::isfinite(x) || x <= 0) refuse(word, "a factor is positive");
    return x;
  }
  std::chrono::nanoseconds delay(std::string_view text, std::string_view word) const {
    constexpr std::int64_t most = 100'000'000'000'000;
    auto const n = number_from(0, text, word);
    if (n > most) refuse(word, "a delay is at most 10^14 ns");
    return std::chrono::nanoseconds(n);
  }
  // Returns an errno by its name, like ENOSPC.
  std::error_code errno_named(std::string_view text, std::string_view word) const {
    for (int e = 1; e < 4096; ++e)
      if (std::error_code const code(e, std::system_category()); error_name(code) == text)
        return code;
    refuse(word, "not the name of an errno");
  }
  // Returns an errno by its name, or by its number if it has no name.
  std::error_code errno_of(std::string_view text, std::string_view word) const {
    if (text.empty() || text[0] < '0' || text[0] > '9') return errno_named(text, word);
    auto const n = number<int>(text, word);
    if (n == 0) refuse(word, "0 is no error");
    return {n, std::system_category()};
  }
};

// Returns the text that errno_of parses.
inline std::string errno_text(std::error_code const& e) {
  std::string const name = error_name(e);
  return name.starts_with("errno ") ? name.substr(6) : name;
}

}  // namespace argosy::lab::detail
