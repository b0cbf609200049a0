// Implements json.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <boost/system/error_code.hpp>

#include <boost/json/src.hpp>  // compiles its sources, once in a program

#include "format/exact_json.hpp"

namespace argosy::tool {
namespace {

// Returns the length of the UTF-8 sequence at the start of `s`; 0 if there is none.
std::size_t utf8_at(std::string_view s) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  unsigned const first = byte(0);
  std::size_t const n = first < 0x80       ? 1
                        : first >> 5 == 6  ? 2
                        : first >> 4 == 14 ? 3
                        : first >> 3 == 30 ? 4
                                           : 0;
  if (n == 0 || n > s.size()) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if (byte(i) >> 6 != 2) return 0;
  if (n == 1) return 1;
  unsigned const second = byte(1);
  // Rejects sequences that are too long, surrogates, and numbers beyond Unicode.
  if (first < 0xc2 || (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || first > 0xf4 || (first == 0xf4 && second > 0x8f))
    return 0;
  return n;
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    std::size_t const n = utf8_at(text);
    char const c = text.front();
    if (n == 0)
      out += "\\ufffd";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      ((out += "\\u00") += digits[static_cast<unsigned char>(c) / 16]) +=
          digits[static_cast<unsigned char>(c) % 16];
    else
      out += text.substr(0, n);
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out + '"';
}

std::string number_text(double x) {
  if (!std::isfinite(x)) return "null";
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
}

boost::json::value parse_json(std::string_view text) {
  boost::json::parse_options as;
  as.max_depth = 64;
  as.allow_invalid_utf8 = true;  // names of files may have any bytes
  using boost::system::error_code;
  using handler =
      detail::exact_handler<boost::json::value_stack, boost::json::string_view, error_code>;
  detail::json_without_names plain = detail::without_names(text);
  boost::json::basic_parser<handler> parser(
      as, boost::json::make_error_code(boost::json::error::exponent_overflow),
      std::move(plain.nulls));
  error_code error;
  std::size_t const read = parser.write_some(false, plain.text.data(), plain.text.size(), error);
  if (!error && read < plain.text.size()) error = boost::json::error::extra_data;
  if (error)
    throw std::invalid_argument(fmt::format("JSON, at byte {}: {}", read, error.message()));
  return parser.handler().release();
}

}  // namespace argosy::tool
