// Text of the numbers of a report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <argosy/layout/detail/counted.hpp>

namespace argosy::detail {

// Returns "1 write of 80 bytes", "3 writes of 240 bytes in all".
inline std::string calls_text(std::int64_t calls, char const* what, std::int64_t bytes) {
  return counted(calls, what) + " of " + counted(bytes, "byte") + (calls == 1 ? "" : " in all");
}

// Returns a number with a fixed number of decimals, as in "1.234 ms".
inline std::string with_digits(double value, int digits) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}
inline std::string duration(std::int64_t ns) {
  auto const n = static_cast<double>(ns);
  return ns < 1'000'000       ? with_digits(n / 1e3, 1) + " us"
         : ns < 1'000'000'000 ? with_digits(n / 1e6, 2) + " ms"
                              : with_digits(n / 1e9, 3) + " s";
}
inline std::string padded(std::string_view name) {
  std::string text(name);
  text.resize(16, ' ');
  return text;
}

}  // namespace argosy::detail
