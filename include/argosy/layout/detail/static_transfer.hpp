// Pack and unpack of static layouts. The compiler walks the tree; only loops with constant bounds
// remain at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <argosy/layout/detail/transfer.hpp>
#include <argosy/layout/static_layout.hpp>

namespace argosy::detail {

// Memory and stream never overlap, so the compiler may vectorise the loops.
template <direction Way, auto Form, std::size_t I>
inline void static_transfer(std::byte* __restrict memory, std::byte* __restrict stream) {
  static constexpr layout_node n = Form.nodes[I];
  if constexpr (n.kind == node_kind::bytes) {
    if constexpr (Way == direction::pack)
      copy_piece(stream, memory, constant<n.size>);
    else
      copy_piece(memory, stream, constant<n.size>);
  } else if constexpr (n.kind == node_kind::repeat) {
    constexpr std::int64_t copy_bytes = n.size / n.count;
    for (std::int64_t i = 0; i < n.count; ++i)
      static_transfer<Way, Form, n.child>(memory + i * n.stride, stream + i * copy_bytes);
  } else if constexpr (n.kind == node_kind::concat) {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      (static_transfer<Way, Form, static_cast<std::size_t>(Form.places[n.child + K].node)>(
           memory + Form.places[n.child + K].displacement, stream + Form.places[n.child + K].start),
       ...);
    }(std::make_index_sequence<static_cast<std::size_t>(n.count)>{});
  } else {
    static constexpr auto form = Form;
    for (std::size_t k = form.table_begin(n.child); k < form.table_ends[n.child]; ++k) {
      piece const p = form.pieces[k];
      if constexpr (Way == direction::pack)
        copy_piece(stream, memory + p.offset, p.length);
      else
        copy_piece(memory + p.offset, stream, p.length);
      stream += p.length;
    }
  }
}

}  // namespace argosy::detail
