// A layout known at run time with an innermost part known at compile time: n records, a tile of
// cells. The numbers around the element are values. The element stays a type, and its copy loop is
// specialised.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <argosy/layout/layout.hpp>
#include <argosy/layout/static_layout.hpp>

namespace argosy {
namespace detail {

// Returns the tree below one node of a layout as a layout of its own.
constexpr layout part(layout const& l, layout_node const& n) {
  switch (n.kind) {
    case node_kind::bytes:
      return bytes(n.size);
    case node_kind::repeat:
      return repeat(n.count, n.stride, part(l, l.nodes()[n.child]));
    case node_kind::concat: {
      assembler members;
      for (layout_place const& p : l.places().subspan(n.child, static_cast<std::size_t>(n.count)))
        members.add(p.displacement, part(l, l.nodes()[static_cast<std::size_t>(p.node)]));
      return members.finish();
    }
    case node_kind::table:
      break;
  }
  assembler pieces;
  for (std::size_t i = 0; i < l.tables()[n.child].size(); ++i)
    pieces.add_bytes(l.tables()[n.child].offset(i), l.tables()[n.child].length(i));
  return pieces.finish();
}

// The form that repeats if copies of Source's form follow each other without gaps. Usually that is
// the form itself. If the end of one copy joins the start of the next, it is the period between two
// junctions. It is empty for a single piece, which needs no loop of its own.
template <class Source>
struct period_of {
  static constexpr layout form() {
    layout const once = Source{}.form();
    layout const row = repeat(4, once.extent(), once);
    for (layout_node const& n : row.nodes())
      if (n.kind == node_kind::repeat && n.stride == once.extent() && n.count >= 3) {
        layout_node const& inner = row.nodes()[n.child];
        return inner.kind == node_kind::bytes ? layout() : part(row, inner);
      }
    return {};
  }
};

template <auto Element>
class element_layout {
 public:
  // `whole` is any layout. If `Element` is one of its nodes, copies of that node take the
  // specialised loop.
  explicit element_layout(layout whole) : whole_(std::move(whole)) {
    static constexpr auto root = Element.nodes.back();
    for (std::size_t i = 0; i < whole_.nodes().size() && element_ == none; ++i) {
      layout_node const& n = whole_.nodes()[i];
      if (n.kind == root.kind && n.size == root.size && n.pieces == root.pieces &&
          n.low == root.low && n.high == root.high &&
          same_bytes(detail::part(whole_, n), static_layout<Element>::value()))
        element_ = i;
    }
  }

  operator layout const&() const noexcept { return whole_; }
  constexpr layout const& value() const noexcept { return whole_; }
  // Returns the node with the form known at compile time, or null if `whole` has joined its
  // elements into something simpler.
  layout_node const* element() const noexcept {
    return element_ == none ? nullptr : &whole_.nodes()[element_];
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  layout whole_;
  std::size_t element_ = none;
};

}  // namespace detail

}  // namespace argosy
