// Where bytes lie in file and memory: as argosy's layouts, and as lists that know nothing of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/datatype/basic.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/piece.hpp>

#include "program.hpp"

namespace argosy::explore {

// One item of a basic type, as a datatype.
struct item_type {
  static constexpr bool is_static = false;
  basic item = basic::byte;
  layout form() const { return bytes(argosy::detail::size_in(argosy::detail::native_sizes, item)); }
  signature types() const { return signature(item); }
  layout file_form(argosy::basic_sizes const& sizes) const {
    return bytes(argosy::detail::size_in(sizes, item));
  }
};

// One rank's filetype.
struct tile {
  std::vector<piece> pieces;  // ascending, from the displacement on
  std::int64_t extent = 1, bytes = 1;
  std::int64_t displacement = 0, etype_bytes = 1;
  layout etype, filetype;  // of bytes
  // the etype, where it has a type: then the filetype is that of `blocks`
  item_type item = {};
  std::vector<piece> blocks = {};  // bytes from the displacement on, and how many items

  // Stream bytes [from, from + count).
  std::vector<piece> locate(std::int64_t from, std::int64_t count) const;
  // That begin before this byte of the file.
  std::int64_t etypes_before(std::int64_t size) const;
  bool interleaves() const;  // its copies
};

// Of all ranks; until the next call.
std::vector<tile> const& tiles_of(view_choice const& v, int ranks);

// A buffer for so many bytes of the stream.
struct memory_map {
  std::vector<piece> pieces;  // in the order of the stream; disjoint
  std::int64_t buffer_bytes = 0, base = 0;
  layout form;  // from `base` on
};
memory_map memory_of(std::uint64_t seed, std::int64_t bytes);

// Byte i of what a rank writes.
std::byte byte_of(std::uint64_t key, std::int64_t i) noexcept;
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept;

}  // namespace argosy::explore
