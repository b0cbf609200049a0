// The basic types. A data representation converts items of these types, one at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <argosy/extend.hpp>

namespace argosy {

namespace extend {

// The names follow meaning and width, because C++ types are deduced. C's own names are used only if
// their width differs between machines.
enum class basic_type : std::uint8_t {
  byte,       // never converted: std::byte, and all data of unknown type
  character,  // char, signed char, unsigned char, char8_t
  boolean,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  int128,
  uint128,
  // `long` and its aliases: on most 64-bit systems also std::int64_t. See int64_type in
  // file_form.hpp.
  long_int,
  unsigned_long,
  wide_character,
  float32,
  float64,
  float128,     // IEEE binary128 in memory, where that is not `long double`
  long_double,  // the machine's own format
};

}  // namespace extend

namespace detail {
inline constexpr std::size_t basic_count = 18;
}

// The bytes of one item of each basic type in some representation.
using basic_sizes = std::array<std::int64_t, detail::basic_count>;

namespace detail {

constexpr std::int64_t size_in(basic_sizes const& sizes, basic_type type) noexcept {
  return sizes[static_cast<std::size_t>(type)];
}

constexpr bool is_floating(basic_type type) noexcept {
  return type == basic_type::float32 || type == basic_type::float64 ||
         type == basic_type::float128 || type == basic_type::long_double;
}

// Sizes in memory.
inline constexpr basic_sizes native_sizes{1,
                                          1,
                                          sizeof(bool),
                                          2,
                                          2,
                                          4,
                                          4,
                                          8,
                                          8,
                                          16,
                                          16,
                                          sizeof(long),
                                          sizeof(unsigned long),
                                          sizeof(wchar_t),
                                          4,
                                          8,
                                          16,
                                          sizeof(long double)};

// Sizes in external32: MPI 3.1, table 13.2. `long` has 4 bytes there and wchar_t 2, whatever their
// size in memory.
inline constexpr basic_sizes external32_sizes{1,  1,  1, 2, 2, 4, 4, 8,  8,
                                              16, 16, 4, 4, 2, 4, 8, 16, 16};

}  // namespace detail

namespace extend {

// Returns the name of the type in texts, such as "float64".
constexpr std::string_view name_of(basic_type type) noexcept {
  constexpr std::array<std::string_view, detail::basic_count> names{
      "byte",          "character",      "boolean", "int16",   "uint16",   "int32",
      "uint32",        "int64",          "uint64",  "int128",  "uint128",  "long",
      "unsigned long", "wide character", "float32", "float64", "float128", "long double"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace extend

using extend::name_of;

namespace detail {

template <class T>
constexpr basic_type integer_of_width() {
  constexpr bool negative = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 1) return basic_type::character;
  if constexpr (sizeof(T) == 2) return negative ? basic_type::int16 : basic_type::uint16;
  if constexpr (sizeof(T) == 4) return negative ? basic_type::int32 : basic_type::uint32;
  if constexpr (sizeof(T) == 8) return negative ? basic_type::int64 : basic_type::uint64;
  return negative ? basic_type::int128 : basic_type::uint128;
}

// Returns the basic type of an arithmetic type, an enumeration or std::byte.
template <class T>
constexpr basic_type basic_of() {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>,
                "argosy::basic_of: not a basic type; see signature_of");
  if constexpr (std::is_same_v<T, std::byte>)
    return basic_type::byte;
  else if constexpr (std::is_enum_v<T>)
    return basic_of<std::underlying_type_t<T>>();
  else if constexpr (std::is_same_v<T, bool>)
    return basic_type::boolean;
  else if constexpr (std::is_same_v<T, wchar_t>)
    return basic_type::wide_character;
  else if constexpr (std::is_same_v<T, long>)
    return basic_type::long_int;
  else if constexpr (std::is_same_v<T, unsigned long>)
    return basic_type::unsigned_long;
  else if constexpr (std::is_same_v<T, long double>)
    return basic_type::long_double;
  else if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4   ? basic_type::float32
           : sizeof(T) == 8 ? basic_type::float64
                            : basic_type::float128;
  else
    return detail::integer_of_width<T>();
}

}  // namespace detail

}  // namespace argosy
