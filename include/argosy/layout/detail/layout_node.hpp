// The nodes of a layout's normal form, for code that walks it (kernels, cursors, printing,
// drawing).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::detail {

enum class node_kind : std::uint8_t {
  bytes,   // `size` contiguous bytes
  repeat,  // `count` copies of node `child`, `stride` bytes apart
  // `count` places, the first of them number `child`: nodes at displacements, one after the other
  // in the stream
  concat,
  table,  // `count` irregular pieces, in table number `child`
};

// Every node has its first piece at 0; its parent has its displacement. A node that is used in
// several places is stored once: a block-cyclic array in d dimensions needs O(d) nodes, not O(2^d).
struct layout_node {
  node_kind kind;
  std::uint32_t child;  // index: node of a repeat, first place of a concat, table of a table
  std::int64_t count;   // copies, places or pieces; 1 for bytes
  std::int64_t stride;  // between the copies of a repeat; 0 otherwise
  std::int64_t size;    // bytes of data
  std::int64_t low;     // true bounds, relative to the first piece: low <= 0 < high
  std::int64_t high;
  std::int64_t pieces;  // maximal contiguous runs, in stream order
  friend constexpr bool operator==(layout_node const&, layout_node const&) = default;
};

// One member of a concat.
struct layout_place {
  std::int64_t displacement;  // position of the first piece, from the first piece of the concat
  std::int64_t start;         // bytes of the stream before it, within the concat
  std::int64_t node;
  friend constexpr bool operator==(layout_place const&, layout_place const&) = default;
};

}  // namespace argosy::detail
