// Axes of pictures: round steps, and numbers in units that people use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

#include <layout/svg.hpp>

namespace argosy::detail {

// Returns a number with at most three digits if they are enough, and never an exponent.
inline std::string plain_number(double x) {
  std::array<char, 64> text{};
  int const whole = x == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(x)))) + 1;
  int const decimals = whole >= 3 ? 0 : whole < -9 ? 12 : 3 - whole;
  std::snprintf(text.data(), text.size(), "%.*f", decimals, x);
  std::string out = text.data();
  if (out.find('.') != std::string::npos) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.ends_with('.')) out.pop_back();
  }
  return out;
}

// Returns "1.2 s", "250 ms", "40 us", "0 s".
inline std::string seconds_text(double seconds) {
  double const size = std::abs(seconds);
  if (size == 0) return "0 s";
  // A number that would be rounded up to the next unit is printed in that unit.
  if (size >= 0.9995) return plain_number(seconds) + " s";
  if (size >= 0.9995e-3) return plain_number(seconds * 1e3) + " ms";
  if (size >= 0.9995e-6) return plain_number(seconds * 1e6) + " us";
  return plain_number(seconds * 1e9) + " ns";
}

// Returns "950", "10 k", "1.5 M", for rates and counts.
inline std::string short_number(double x) {
  constexpr std::array<std::string_view, 5> units{"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  for (; std::abs(x) >= 9999.5 && unit + 1 < units.size(); ++unit) x /= 1000;
  return plain_number(x) + std::string(units[unit]);
}

// Returns bytes with a unit: "512 B", "1.5 MiB".
inline std::string bytes_text(std::int64_t n) {
  constexpr std::string_view units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  std::size_t unit = 0;
  double x = static_cast<double>(n);
  for (; (x >= 1024 || x <= -1024) && unit + 1 < std::size(units); ++unit) x /= 1024;
  return svg_number(x) + std::string(units[unit]);
}

// Returns the least of 1, 2, 5 times a power of ten that divides `length` into at most `most`
// steps.
inline double round_step(double length, int most) {
  if (!(length > 0) || !std::isfinite(length)) return 1;
  double const power = std::pow(10, std::floor(std::log10(length / most)));
  for (double const k : {1.0, 2.0, 5.0})
    if (k * power * most >= length * (1 - 1e-9)) return k * power;
  return 10 * power;
}

}  // namespace argosy::detail
