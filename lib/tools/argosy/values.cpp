// Implements values.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <format/any_array.hpp>
#include <format/literal.hpp>

namespace argosy::tool {
namespace {

struct complex_value {
  long double real = 0, imaginary = 0;
};

template <class T>
T read(std::byte const* from) {
  T x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

long double half(std::uint16_t bits) {
  int const exponent = bits >> 10 & 31, mantissa = bits & 1023;
  long double const size =
      exponent == 31  ? (mantissa != 0 ? std::numeric_limits<long double>::quiet_NaN()
                                       : std::numeric_limits<long double>::infinity())
      : exponent == 0 ? std::ldexp(static_cast<long double>(mantissa), -24)
                      : std::ldexp(static_cast<long double>(mantissa + 1024), exponent - 25);
  return bits >> 15 != 0 ? -size : size;
}

long double real_in(std::int64_t bytes, std::byte const* from) {
  return bytes == 2   ? half(read<std::uint16_t>(from))
         : bytes == 4 ? static_cast<long double>(read<float>(from))
         : bytes == 8 ? static_cast<long double>(read<double>(from))
                      : read<long double>(from);
}

// Calls `use` with an integer of the type.
template <class Use>
auto with_integer(dtype const& t, std::byte const* from, Use&& use) {
  bool const is_signed = t.kind == 'i' || t.kind == 'm' || t.kind == 'M';
  switch (t.bytes) {
    case 1:
      return is_signed ? use(std::int64_t{read<std::int8_t>(from)}) : use(read<std::uint8_t>(from));
    case 2:
      return is_signed ? use(std::int64_t{read<std::int16_t>(from)})
                       : use(read<std::uint16_t>(from));
    case 4:
      return is_signed ? use(std::int64_t{read<std::int32_t>(from)})
                       : use(read<std::uint32_t>(from));
    default:
      return is_signed ? use(read<std::int64_t>(from)) : use(read<std::uint64_t>(from));
  }
}

bool is_number(dtype const& t) {
  return std::string_view("biufc").find(t.kind) != std::string_view::npos;
}

complex_value number_in(dtype const& t, std::byte const* from) {
  if (t.kind == 'f') return {real_in(t.bytes, from)};
  if (t.kind == 'c') return {real_in(t.bytes / 2, from), real_in(t.bytes / 2, from + t.bytes / 2)};
  return {with_integer(t, from, [](auto n) { return static_cast<long double>(n); })};
}

bool equal(long double a, long double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

long double distance(long double a, long double b) { return equal(a, b) ? 0 : std::abs(a - b); }

std::int64_t copies_of(detail::dtype_field const& f) {
  std::int64_t n = 1;
  for (std::int64_t const along : f.shape) n *= along;
  return n;
}

value_difference of_numbers(complex_value const& a, complex_value const& b, bool same_type,
                            tolerance const& allowed) {
  value_difference d;
  // Integers of one type whose bytes differ do so even if a long double cannot tell them apart.
  d.differs = same_type || !equal(a.real, b.real) || !equal(a.imaginary, b.imaginary);
  long double const apart =
      std::hypot(distance(a.real, b.real), distance(a.imaginary, b.imaginary));
  if (std::isnan(apart)) return d;
  long double const size =
      std::max(std::hypot(a.real, a.imaginary), std::hypot(b.real, b.imaginary));
  d.absolute = apart;
  d.relative = apart == 0 ? 0 : std::isinf(apart) ? apart : apart / size;
  if (d.absolute <= allowed.absolute || d.relative <= allowed.relative) d.differs = false;
  return d;
}

std::string real_text(std::int64_t bytes, std::byte const* from) {
  if (bytes == 4) return fmt::format("{}", read<float>(from));
  if (bytes == 8) return fmt::format("{}", read<double>(from));
  return fmt::format("{}", real_in(bytes, from));
}

void add_utf8(std::string& text, std::uint32_t c) {
  if (c >= 0x110000) c = 0xfffd;
  if (c < 0x80) return void(text += static_cast<char>(c));
  int const more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr int first[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(first[more] | static_cast<int>(c >> (6 * more)));
  for (int k = more - 1; k >= 0; --k)
    text += static_cast<char>(0x80 | static_cast<int>(c >> (6 * k) & 63));
}

std::string text_in(dtype const& t, std::byte const* from) {
  std::string text;
  if (t.kind == 'U')
    for (std::int64_t i = 0; i < t.bytes; i += 4) add_utf8(text, read<std::uint32_t>(from + i));
  else
    text.assign(reinterpret_cast<char const*>(from), static_cast<std::size_t>(t.bytes));
  text.resize(text.find_last_not_of('\0') + 1);
  return (t.kind == 'S' ? "b" : "") + detail::python_text(text);
}

}  // namespace

bool comparable(dtype const& a, dtype const& b) {
  return (is_number(a) && is_number(b)) || detail::native_type(a) == detail::native_type(b);
}

value_difference difference(dtype const& a, std::byte const* in_a, dtype const& b,
                            std::byte const* in_b, tolerance const& allowed) {
  bool const same = a.kind == b.kind && a.bytes == b.bytes;
  if (same && std::memcmp(in_a, in_b, static_cast<std::size_t>(a.bytes)) == 0) return {};
  if (is_number(a))
    return of_numbers(number_in(a, in_a), number_in(b, in_b),
                      same && (a.kind == 'i' || a.kind == 'u'), allowed);
  if (a.kind != 'r') return {.differs = true};
  value_difference all;
  for (std::size_t k = 0; k < a.fields.size(); ++k) {
    detail::dtype_field const& f = a.fields[k];
    if (f.name.empty()) continue;  // unused bytes
    for (std::int64_t i = 0, at = f.offset; i < copies_of(f); ++i, at += f.type.bytes) {
      value_difference const one =
          difference(f.type, in_a + at, b.fields[k].type, in_b + at, allowed);
      all.differs = all.differs || one.differs;
      all.absolute = std::max(all.absolute, one.absolute);
      all.relative = std::max(all.relative, one.relative);
    }
  }
  return all;
}

std::string value_text(dtype const& t, std::byte const* from) {
  switch (t.kind) {
    case 'b':
      return read<std::uint8_t>(from) != 0 ? "True" : "False";
    case 'f':
      return real_text(t.bytes, from);
    case 'c': {
      std::string const imaginary = real_text(t.bytes / 2, from + t.bytes / 2);
      return "(" + real_text(t.bytes / 2, from) + (imaginary.starts_with('-') ? "" : "+") +
             imaginary + "j)";
    }
    case 'S':
    case 'U':
      return text_in(t, from);
    case 'V': {
      std::string hex = "0x";
      for (std::int64_t i = 0; i < t.bytes; ++i)
        hex += fmt::format("{:02x}", std::to_integer<int>(from[i]));
      return hex;
    }
    case 'r':
      break;
    default:
      return with_integer(t, from, [](auto n) { return fmt::format("{}", n); });
  }
  std::string all;
  for (detail::dtype_field const& f : t.fields) {
    if (f.name.empty()) continue;
    std::string items;
    for (std::int64_t i = 0; i < copies_of(f); ++i)
      items += (i == 0 ? "" : ", ") + value_text(f.type, from + f.offset + i * f.type.bytes);
    all += (all.empty() ? "" : ", ") + (f.shape.empty() ? items : "[" + items + "]");
  }
  return "(" + all + ")";
}

}  // namespace argosy::tool
