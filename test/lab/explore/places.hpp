// The places of bytes in file and memory, both as argosy's layouts and as lists that do not use
// layouts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/piece.hpp>

#include "program.hpp"

namespace argosy::explore {

using namespace extend;

// One item of a basic type, as a datatype.
struct item_type {
  static constexpr bool is_static = false;
  basic_type item = basic_type::byte;
  layout form() const { return bytes(argosy::detail::size_in(argosy::detail::native_sizes, item)); }
  signature types() const { return signature(item); }
  layout file_form(argosy::basic_sizes const& sizes) const {
    return bytes(argosy::detail::size_in(sizes, item));
  }
};

// The filetype of one rank.
struct tile {
  std::vector<piece> pieces;  // ascending, relative to the displacement
  std::int64_t extent = 1, bytes = 1;
  std::int64_t displacement = 0, etype_bytes = 1;
  layout etype, filetype;  // in bytes
  // the item of the etype if it has a type; the filetype is then made of `blocks`
  item_type item = {};
  std::vector<piece> blocks = {};  // offsets in bytes from the displacement, and lengths in items

  // Returns the places in the file of stream bytes [from, from + count).
  std::vector<piece> locate(std::int64_t from, std::int64_t count) const;
  // Returns the number of etypes that begin before byte `size` of the file.
  std::int64_t etypes_before(std::int64_t size) const;
  bool interleaves() const;  // true if its copies interleave
};

// Returns the tiles of all ranks; valid until the next call.
std::vector<tile> const& tiles_of(view_choice const& v, int ranks);

struct static_type;

// A buffer for the bytes of a stream.
struct memory_map {
  std::vector<piece> pieces;  // in the order of the stream; disjoint
  std::int64_t buffer_bytes = 0, base = 0;
  layout form;                        // relative to `base`
  static_type const* type = nullptr;  // the datatype that the compiler knows, if the data has one
  std::int64_t copies = 0;            // its number of copies
};
memory_map memory_of(std::uint64_t seed, std::int64_t bytes);

// Returns byte i of the data that a rank writes under this key.
std::byte byte_of(std::uint64_t key, std::int64_t i) noexcept;
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept;

}  // namespace argosy::explore
