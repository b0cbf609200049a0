// Implements types.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "types.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <boost/system/error_code.hpp>

#include "format/exact_json.hpp"
#include "json.hpp"

#define json argosy_json
#include <boost/json/basic_parser_impl.hpp>
#undef json

namespace argosy::detail {

namespace {

constexpr std::int64_t most_raw_bytes = 1 << 20;

struct family {
  char kind;
  std::string_view name;
};
constexpr family families[] = {{'i', "int"}, {'u', "uint"}, {'f', "float"}, {'c', "complex"}};

bool has_size(char kind, std::int64_t bytes) {
  switch (kind) {
    case 'i':
    case 'u':
      return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    case 'f':
      return bytes == 2 || bytes == 4 || bytes == 8;
    default:
      return bytes == 8 || bytes == 16;
  }
}

template <class T>
std::vector<std::byte> bytes_of_number(T value) {
  std::vector<std::byte> all(sizeof value);
  std::memcpy(all.data(), &value, sizeof value);
  return all;
}

// Returns the number as an integer of type T, if it is one.
template <class T>
std::optional<std::vector<std::byte>> integer(json::value const& v) {
  auto const fits = [](auto n) -> std::optional<std::vector<std::byte>> {
    if (!std::in_range<T>(n)) return {};
    return bytes_of_number(static_cast<T>(n));
  };
  if (v.is_int64()) return fits(v.get_int64());
  if (v.is_uint64()) return fits(v.get_uint64());
  if (v.is_double() && std::abs(v.get_double()) < 0x1p53 &&
      std::trunc(v.get_double()) == v.get_double())
    return fits(static_cast<std::int64_t>(v.get_double()));
  return {};
}

template <class S, class U>
std::optional<std::vector<std::byte>> integer_of(char kind, json::value const& v) {
  return kind == 'i' ? integer<S>(v) : integer<U>(v);
}

// Returns the bits of the half-precision number that is nearest to x; ties go to the even one.
std::uint16_t half_of(double x) {
  auto const sign = static_cast<std::uint16_t>(std::signbit(x) ? 0x8000 : 0);
  if (std::isnan(x)) return static_cast<std::uint16_t>(sign | 0x7e00);
  double const size = std::abs(x);
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (size < 0x1p-14)
    return static_cast<std::uint16_t>(sign | static_cast<int>(std::nearbyint(size * 0x1p24)));
  int const exponent = std::ilogb(size);
  auto const mantissa = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  // A mantissa that was rounded up to 2048 carries into the exponent.
  return static_cast<std::uint16_t>(sign | (((exponent + 14) << 10) + mantissa));
}

std::optional<double> number(json::value const& v) {
  if (v.is_number()) return v.to_number<double>();
  if (!v.is_string()) return {};
  std::string_view const text = v.get_string();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return {};
}

std::optional<std::vector<std::byte>> floating(std::int64_t bytes, json::value const& v) {
  if (v.is_string() && v.get_string().starts_with("0x")) {  // the bits of the number
    std::string_view const digits = std::string_view(v.get_string()).substr(2);
    std::uint64_t bits = 0;
    auto const [end, wrong] =
        std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    if (wrong != std::errc() || end != digits.data() + digits.size() ||
        digits.size() != static_cast<std::size_t>(2 * bytes))
      return {};
    if (bytes == 2) return bytes_of_number(static_cast<std::uint16_t>(bits));
    if (bytes == 4) return bytes_of_number(static_cast<std::uint32_t>(bits));
    return bytes_of_number(bits);
  }
  auto const x = number(v);
  if (!x) return {};
  if (bytes == 2) return bytes_of_number(half_of(*x));
  if (bytes == 4) return bytes_of_number(static_cast<float>(*x));
  return bytes_of_number(*x);
}

std::optional<std::vector<std::byte>> complex_of(std::int64_t bytes, json::value const& v) {
  if (v.is_number()) return complex_of(bytes, json::array{v, 0});
  if (!v.is_array() || v.get_array().size() != 2) return {};
  auto real = floating(bytes / 2, v.get_array()[0]);
  auto const imaginary = floating(bytes / 2, v.get_array()[1]);
  if (!real || !imaginary) return {};
  real->insert(real->end(), imaginary->begin(), imaginary->end());
  return real;
}

std::optional<std::vector<std::byte>> raw(std::int64_t bytes, json::value const& v) {
  std::vector<std::byte> all;
  if (v.is_array()) {
    for (json::value const& one : v.get_array()) {
      auto const b = integer<std::uint8_t>(one);
      if (!b) return {};
      all.push_back(b->front());
    }
  } else if (v.is_int64() && v.get_int64() == 0) {
    all.resize(static_cast<std::size_t>(bytes));
  }
  if (std::ssize(all) != bytes) return {};
  return all;
}

}  // namespace

std::optional<json::value> json_in(std::string_view text) {
  using handler = exact_handler<json::value_stack, json::string_view, boost::system::error_code>;
  json_without_names plain = without_names(text);
  json::basic_parser<handler> parser({}, json::make_error_code(json::error::exponent_overflow),
                                     std::move(plain.nulls));
  boost::system::error_code error;
  std::size_t const read = parser.write_some(false, plain.text.data(), plain.text.size(), error);
  if (error || read < plain.text.size()) return {};
  return parser.handler().release();
}

std::string json_text(json::value const& v) {
  auto const list = [](auto const& all, char open, char close, auto&& text_of) {
    std::string text(1, open);
    for (auto const& one : all) (text += text.size() > 1 ? "," : "") += text_of(one);
    return text + close;
  };
  if (v.is_object())
    return list(v.get_object(), '{', '}', [](auto const& m) {
      return json::serialize(json::string(m.key())) + ":" + json_text(m.value());
    });
  if (v.is_array()) return list(v.get_array(), '[', ']', json_text);
  if (!v.is_double() || std::isfinite(v.get_double())) return json::serialize(v);
  return std::isnan(v.get_double()) ? "NaN" : v.get_double() < 0 ? "-Infinity" : "Infinity";
}

std::string zarr_name_of(dtype const& type) {
  if (type.kind == 'b' && type.bytes == 1) return "bool";
  if (type.kind == 'V' && type.bytes > 0 && type.bytes <= most_raw_bytes)
    return "r" + std::to_string(8 * type.bytes);
  for (family const& f : families)
    if (f.kind == type.kind && has_size(type.kind, type.bytes))
      return std::string(f.name) + std::to_string(8 * type.bytes);
  return {};
}

std::optional<dtype> zarr_type_of(std::string_view name) {
  if (name == "bool") return dtype{.kind = 'b', .order = '|', .bytes = 1, .fields = {}};
  auto const bits_behind = [&](std::size_t letters) {
    std::int64_t bits = 0;
    auto const [end, wrong] =
        std::from_chars(name.data() + letters, name.data() + name.size(), bits);
    bool const whole = wrong == std::errc() && end == name.data() + name.size() && bits % 8 == 0;
    return whole && name[letters] != '0' ? bits / 8 : 0;
  };
  auto const type = [](char kind, std::int64_t bytes) {
    return dtype{.kind = kind,
                 .order = bytes == 1 || kind == 'V' ? '|' : native_order,
                 .bytes = bytes,
                 .fields = {}};
  };
  for (family const& f : families) {
    if (!name.starts_with(f.name) || name.size() == f.name.size()) continue;
    std::int64_t const bytes = bits_behind(f.name.size());
    if (has_size(f.kind, bytes)) return type(f.kind, bytes);
  }
  if (name.size() > 1 && name[0] == 'r')
    if (std::int64_t const bytes = bits_behind(1); bytes > 0 && bytes <= most_raw_bytes)
      return type('V', bytes);
  return {};
}

std::optional<std::vector<std::byte>> fill_bytes(dtype const& type, json::value const& v) {
  switch (type.kind) {
    case 'b':
      if (v.is_bool()) return bytes_of_number(static_cast<std::uint8_t>(v.get_bool() ? 1 : 0));
      return v.is_int64() && v.get_int64() == 0 ? std::optional(bytes_of_number(std::uint8_t{0}))
                                                : std::nullopt;
    case 'i':
    case 'u':
      switch (type.bytes) {
        case 1:
          return integer_of<std::int8_t, std::uint8_t>(type.kind, v);
        case 2:
          return integer_of<std::int16_t, std::uint16_t>(type.kind, v);
        case 4:
          return integer_of<std::int32_t, std::uint32_t>(type.kind, v);
        default:
          return integer_of<std::int64_t, std::uint64_t>(type.kind, v);
      }
    case 'f':
      return floating(type.bytes, v);
    case 'c':
      return complex_of(type.bytes, v);
    default:
      return raw(type.bytes, v);
  }
}

}  // namespace argosy::detail
