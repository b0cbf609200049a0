// SPDX-License-Identifier: BSD-3-Clause
#include "codec.hpp"

#include <algorithm>
#include <string>

#include <argosy/file/representations.hpp>

namespace argosy::explore {

using namespace extend;
namespace {

// Returns the place in the file of byte i of an item, counted from the least significant byte, on
// any machine.
std::int64_t place(representation_choice r, std::int64_t bytes, std::int64_t i) noexcept {
  return r == representation_choice::external32 ? bytes - 1 - i : i;
}
std::byte mask_of(representation_choice r) noexcept {
  return r == representation_choice::shrinking ? std::byte{0xa5}
         : r == representation_choice::picky   ? std::byte{0x5a}
                                               : std::byte{0};
}
bool is_signed(basic_type item) noexcept {
  return item == basic_type::int16 || item == basic_type::int32 || item == basic_type::int64 ||
         item == basic_type::long_int;
}
// Returns true if an item is stored byte by byte. The functions of the user do not convert bytes.
bool is_plain(representation_choice r, basic_type item) noexcept {
  return !converts(r) || item == basic_type::byte || item == basic_type::character;
}
bool all_are(std::byte const* memory, basic_type item, std::byte value) noexcept {
  return std::all_of(memory, memory + memory_bytes_of(item),
                     [=](std::byte b) { return b == value; });
}

}  // namespace

std::int64_t memory_bytes_of(basic_type item) noexcept {
  return argosy::detail::size_in(argosy::detail::native_sizes, item);
}

std::int64_t file_bytes_of(representation_choice r, basic_type item) noexcept {
  std::int64_t const bytes = memory_bytes_of(item);
  if (r == representation_choice::external32) {
    if (item == basic_type::long_int || item == basic_type::unsigned_long) return 4;
    if (item == basic_type::wide_character) return 2;
  }
  if (r == representation_choice::shrinking) {
    if (item == basic_type::int32) return 3;
    if (item == basic_type::int64 || item == basic_type::long_int) return 5;
  }
  return bytes;
}

void decode(representation_choice r, basic_type item, std::byte const* file,
            std::byte* memory) noexcept {
  std::int64_t const n = file_bytes_of(r, item), m = memory_bytes_of(item);
  std::byte const mask = is_plain(r, item) ? std::byte{0} : mask_of(r);
  bool const turned = !is_plain(r, item);
  for (std::int64_t i = 0; i < n; ++i) memory[i] = file[turned ? place(r, n, i) : i] ^ mask;
  bool const negative = is_signed(item) && (memory[n - 1] & std::byte{0x80}) != std::byte{0};
  std::fill(memory + n, memory + m, negative ? std::byte{0xff} : std::byte{0});
}

void encode(representation_choice r, basic_type item, std::byte const* memory,
            std::byte* file) noexcept {
  std::int64_t const n = file_bytes_of(r, item);
  std::byte const mask = is_plain(r, item) ? std::byte{0} : mask_of(r);
  bool const turned = !is_plain(r, item);
  for (std::int64_t i = 0; i < n; ++i) file[turned ? place(r, n, i) : i] = memory[i] ^ mask;
}

bool is_wrong(representation_choice r, basic_type item, std::byte const* file) noexcept {
  if (r != representation_choice::picky || is_plain(r, item) || memory_bytes_of(item) < 4)
    return false;
  return static_cast<unsigned>(file[0]) % 8 == 3 && static_cast<unsigned>(file[1]) % 8 == 5;
}

bool can_misfit(representation_choice r, basic_type item) noexcept {
  if (is_plain(r, item)) return false;
  return file_bytes_of(r, item) < memory_bytes_of(item) ||
         (r == representation_choice::picky && memory_bytes_of(item) >= 4);
}
bool can_throw(representation_choice r, basic_type item) noexcept {
  return is_users(r) && !is_plain(r, item) && memory_bytes_of(item) >= 4;
}

namespace {

representation_functions functions_of(representation_choice r) {
  representation_functions f;
  f.file_bytes = [r](basic_type item) { return file_bytes_of(r, item); };
  f.read = [r](basic_type item, std::int64_t count, std::byte const* file, std::byte* memory) {
    bool fits = true;
    for (std::int64_t i = 0; i < count;
         ++i, file += file_bytes_of(r, item), memory += memory_bytes_of(item)) {
      decode(r, item, file, memory);
      fits = fits && !is_wrong(r, item, file);
    }
    return fits;
  };
  f.write = [r](basic_type item, std::int64_t count, std::byte const* memory, std::byte* file) {
    bool fits = true;
    for (std::int64_t i = 0; i < count;
         ++i, file += file_bytes_of(r, item), memory += memory_bytes_of(item)) {
      if (can_throw(r, item) && all_are(memory, item, throwing_byte))
        throw thrown_on_purpose("a representation of the program");
      encode(r, item, memory, file);
      fits = fits && !(can_misfit(r, item) && all_are(memory, item, misfit_byte));
    }
    return fits;
  };
  return f;
}

}  // namespace

representation representation_of(representation_choice r) {
  static representation const shrinking = [] {
    register_representation("explore_shrinking", functions_of(representation_choice::shrinking));
    return argosy::detail::find_representation("explore_shrinking");
  }();
  static representation const picky = [] {
    register_representation("explore_picky", functions_of(representation_choice::picky));
    return argosy::detail::find_representation("explore_picky");
  }();
  switch (r) {
    case representation_choice::internal:
      return internal;
    case representation_choice::external32:
      return external32;
    case representation_choice::shrinking:
      return shrinking;
    case representation_choice::picky:
      return picky;
    case representation_choice::native:
      break;
  }
  return native;
}

}  // namespace argosy::explore
