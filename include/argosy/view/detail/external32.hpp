// Loops that convert items between memory and external32: big-endian, with the sizes of MPI's
// table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/view/detail/binary128.hpp>

namespace argosy::detail {

template <class T>
T load(std::byte const* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
void store_at(std::byte* to, T value) noexcept {
  std::memcpy(to, &value, sizeof(T));
}

template <class Unsigned>
constexpr Unsigned big_endian(Unsigned v) noexcept {
  if constexpr (std::endian::native == std::endian::big || sizeof(Unsigned) == 1)
    return v;
  else if constexpr (sizeof(Unsigned) == 2)
    return __builtin_bswap16(v);
  else if constexpr (sizeof(Unsigned) == 4)
    return __builtin_bswap32(v);
  else
    return __builtin_bswap64(v);
}

// --- One item. `encode` to the file and `decode` to memory return false if the value does not fit.
// ---

template <std::size_t Bytes>
struct swapped {
  using word = std::conditional_t<
      Bytes == 1, std::uint8_t,
      std::conditional_t<Bytes == 2, std::uint16_t,
                         std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;
  static constexpr std::int64_t memory_bytes = Bytes, file_bytes = Bytes;
  static bool encode(std::byte const* from, std::byte* to) noexcept {
    store_at(to, big_endian(load<word>(from)));
    return true;
  }
  static bool decode(std::byte const* from, std::byte* to) noexcept { return encode(from, to); }
};
template <>
struct swapped<16> {
  static constexpr std::int64_t memory_bytes = 16, file_bytes = 16;
  static bool encode(std::byte const* from, std::byte* to) noexcept {
    auto const a = big_endian(load<std::uint64_t>(from)),
               b = big_endian(load<std::uint64_t>(from + 8));
    constexpr bool turn = std::endian::native == std::endian::little;
    store_at(to, turn ? b : a);
    store_at(to + 8, turn ? a : b);
    return true;
  }
  static bool decode(std::byte const* from, std::byte* to) noexcept { return encode(from, to); }
};

// Integers of another size in the file. Only values that fit both are converted.
template <class Memory, class File>
struct resized_integer {
  static constexpr std::int64_t memory_bytes = sizeof(Memory), file_bytes = sizeof(File);
  using file_word = std::make_unsigned_t<File>;
  static bool encode(std::byte const* from, std::byte* to) noexcept {
    auto const value = load<Memory>(from);
    auto const kept = static_cast<File>(static_cast<std::make_unsigned_t<Memory>>(value));
    store_at(to, big_endian(static_cast<file_word>(kept)));
    return static_cast<Memory>(kept) == value;
  }
  static bool decode(std::byte const* from, std::byte* to) noexcept {
    auto const value = static_cast<File>(big_endian(load<file_word>(from)));
    auto const kept = static_cast<Memory>(value);
    store_at(to, kept);
    return static_cast<File>(kept) == value;
  }
};

// Any byte but 0 is true, but a bool in C++ must be 0 or 1.
struct truth {
  static constexpr std::int64_t memory_bytes = sizeof(bool), file_bytes = 1;
  static bool encode(std::byte const* from, std::byte* to) noexcept {
    std::byte any{};
    for (std::size_t i = 0; i < sizeof(bool); ++i) any |= from[i];
    *to = any == std::byte{0} ? std::byte{0} : std::byte{1};
    return true;
  }
  static bool decode(std::byte const* from, std::byte* to) noexcept {
    store_at(to, *from != std::byte{0});
    return true;
  }
};

#if LDBL_MANT_DIG == 113
using wide_float = swapped<16>;
#else
struct wide_float {
  static constexpr std::int64_t memory_bytes = sizeof(long double), file_bytes = 16;
  static bool encode(std::byte const* from, std::byte* to) noexcept {
#if LDBL_MANT_DIG == 64
    binary128 const q = to_binary128({load<std::uint64_t>(from), load<std::uint16_t>(from + 8)});
    store_at(to, big_endian(q.high));
    store_at(to + 8, big_endian(q.low));
    return true;
#else
    // not a format that argosy converts
    return static_cast<void>(from), static_cast<void>(to), false;
#endif
  }
  static bool decode(std::byte const* from, std::byte* to) noexcept {
#if LDBL_MANT_DIG == 64
    bool fits = true;
    x87 const x = to_x87(
        {big_endian(load<std::uint64_t>(from)), big_endian(load<std::uint64_t>(from + 8))}, fits);
    std::memset(to, 0, sizeof(long double));
    store_at(to, x.significand);
    store_at(to + 8, x.sign_exponent);
    return fits;
#else
    return static_cast<void>(from), static_cast<void>(to), false;
#endif
  }
};
#endif

// --- Loops ---

enum class conversion { encode, decode };

// `copies` groups of `count` items; within a group they are dense.
struct item_run {
  std::int64_t count;
  std::int64_t copies;
  std::int64_t memory_stride;
  std::int64_t file_stride;
};

template <class Item, conversion Way>
bool convert_items(item_run const& r, std::byte* memory, std::byte* file) noexcept {
  bool fits = true;
  auto const group = [&](std::int64_t count, std::byte* m, std::byte* f) {
    for (std::int64_t i = 0; i < count; ++i, m += Item::memory_bytes, f += Item::file_bytes)
      fits &= Way == conversion::encode ? Item::encode(m, f) : Item::decode(f, m);
  };
  // Common group sizes become straight code: the members of structs are mostly single items and
  // triples.
  switch (r.count) {
    case 1:
      for (std::int64_t k = 0; k < r.copies; ++k)
        group(1, memory + k * r.memory_stride, file + k * r.file_stride);
      break;
    case 3:
      for (std::int64_t k = 0; k < r.copies; ++k)
        group(3, memory + k * r.memory_stride, file + k * r.file_stride);
      break;
    default:
      for (std::int64_t k = 0; k < r.copies; ++k)
        group(r.count, memory + k * r.memory_stride, file + k * r.file_stride);
  }
  return fits;
}

template <conversion Way>
bool convert_plain(item_run const& r, std::byte* memory, std::byte* file) noexcept {
  for (std::int64_t k = 0; k < r.copies; ++k) {
    std::byte *m = memory + k * r.memory_stride, *f = file + k * r.file_stride;
    std::memcpy(Way == conversion::encode ? f : m, Way == conversion::encode ? m : f,
                static_cast<std::size_t>(r.count));
  }
  return true;
}

template <conversion Way>
bool convert_external32(basic_type type, item_run const& r, std::byte* memory,
                        std::byte* file) noexcept {
  switch (type) {
    case basic_type::byte:
    case basic_type::character:
      return convert_plain<Way>(r, memory, file);
    case basic_type::boolean:
      return convert_items<truth, Way>(r, memory, file);
    case basic_type::int16:
    case basic_type::uint16:
      return convert_items<swapped<2>, Way>(r, memory, file);
    case basic_type::int32:
    case basic_type::uint32:
    case basic_type::float32:
      return convert_items<swapped<4>, Way>(r, memory, file);
    case basic_type::int64:
    case basic_type::uint64:
    case basic_type::float64:
      return convert_items<swapped<8>, Way>(r, memory, file);
    case basic_type::int128:
    case basic_type::uint128:
    case basic_type::float128:
      return convert_items<swapped<16>, Way>(r, memory, file);
    case basic_type::long_int:
      return convert_items<resized_integer<long, std::int32_t>, Way>(r, memory, file);
    case basic_type::unsigned_long:
      return convert_items<resized_integer<unsigned long, std::uint32_t>, Way>(r, memory, file);
    // Unsigned in the file, whatever the sign of wchar_t: code points of Unicode's first plane.
    case basic_type::wide_character:
      return convert_items<resized_integer<wchar_t, std::uint16_t>, Way>(r, memory, file);
    case basic_type::long_double:
      return convert_items<wide_float, Way>(r, memory, file);
  }
  return false;
}

}  // namespace argosy::detail
