// A layout that is known at compile time, as a type. Its objects are empty, and all its loops have
// constant bounds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <argosy/extend.hpp>
#include <argosy/layout/detail/compact_numbers.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

namespace detail {

// The normal form as a template argument: the content of a `layout`, in arrays of exactly its size.
template <std::size_t Nodes, std::size_t Places, std::size_t Tables, std::size_t Pieces>
struct static_form {
  std::array<layout_node, Nodes> nodes{};
  std::array<layout_place, Places> places{};
  // Table t has the pieces [table_ends[t - 1], table_ends[t]).
  std::array<std::size_t, Tables> table_ends{};
  std::array<piece, Pieces> pieces{};
  std::int64_t origin = 0;
  std::int64_t lower_bound = 0;
  std::int64_t extent = 0;

  constexpr std::size_t table_begin(std::size_t t) const { return t == 0 ? 0 : table_ends[t - 1]; }
};

}  // namespace detail

template <std::size_t Nodes, std::size_t Places, std::size_t Tables, std::size_t Pieces>
constexpr layout::layout(detail::static_form<Nodes, Places, Tables, Pieces> const& form)
    : origin_(form.origin), lower_bound_(form.lower_bound), extent_(form.extent) {
  for (detail::layout_node const& n : form.nodes) nodes_.push_back(n);
  for (detail::layout_place const& p : form.places) places_.push_back(p);
  for (std::size_t t = 0; t < Tables; ++t) {
    std::span<extend::piece const> const pieces(form.pieces.data() + form.table_begin(t),
                                                form.pieces.data() + form.table_ends[t]);
    std::int64_t const length = pieces[0].length;
    bool const equal =
        std::ranges::all_of(pieces, [&](extend::piece const& p) { return p.length == length; });
    detail::compact_numbers offsets, lengths;
    for (extend::piece const& p : pieces) {
      offsets.push_back(p.offset);
      if (!equal) lengths.push_back(p.length);
    }
    tables_.emplace_back(std::move(offsets), std::move(lengths), length);
  }
}

namespace extend {

// A layout as a type. Equal layouts are the same type. It has the functions of `layout` as
// constants, and converts to `layout`.
template <auto Form>
class static_layout {
 public:
  static constexpr auto form = Form;

  static constexpr std::int64_t size() noexcept { return empty() ? 0 : root().size; }
  static constexpr std::int64_t lower_bound() noexcept { return Form.lower_bound; }
  static constexpr std::int64_t extent() noexcept { return Form.extent; }
  static constexpr std::int64_t upper_bound() noexcept { return Form.lower_bound + Form.extent; }
  static constexpr std::int64_t true_lower_bound() noexcept {
    return empty() ? 0 : Form.origin + root().low;
  }
  static constexpr std::int64_t true_upper_bound() noexcept {
    return empty() ? 0 : Form.origin + root().high;
  }
  static constexpr std::int64_t true_extent() noexcept {
    return true_upper_bound() - true_lower_bound();
  }
  static constexpr std::int64_t pieces() noexcept { return empty() ? 0 : root().pieces; }
  static constexpr bool empty() noexcept { return Form.nodes.empty(); }
  static constexpr bool is_contiguous() noexcept { return pieces() <= 1; }
  static constexpr double density() { return to_layout().density(); }
  static constexpr bool is_regular() noexcept { return Form.pieces.empty(); }
  static constexpr bool is_monotonic() { return to_layout().is_monotonic(); }
  static constexpr bool overlaps() { return to_layout().overlaps(); }
  static constexpr std::int64_t origin() noexcept { return Form.origin; }
  static constexpr std::size_t depth() { return to_layout().depth(); }

  static constexpr layout to_layout() { return layout(Form); }
  // Returns the equal run-time `layout`, which is made once.
  static layout const& value() {
    static layout const made = to_layout();
    return made;
  }
  operator layout const&() const { return value(); }

  friend constexpr bool operator==(static_layout, static_layout) { return true; }

 private:
  static constexpr detail::layout_node const& root() noexcept { return Form.nodes.back(); }
};

}  // namespace extend

namespace detail {

struct form_sizes {
  std::size_t nodes, places, tables, pieces;
};

constexpr form_sizes sizes_of(layout const& l) {
  form_sizes s{l.nodes().size(), l.places().size(), l.tables().size(), 0};
  for (piece_table const& t : l.tables()) s.pieces += t.size();
  return s;
}

// Source::form() is evaluated at compile time: once for the sizes, once for the content.
template <class Source>
constexpr auto static_form_of() {
  constexpr form_sizes s = sizes_of(Source{}.form());
  layout const l = Source{}.form();
  static_form<s.nodes, s.places, s.tables, s.pieces> out;
  for (std::size_t i = 0; i < s.nodes; ++i) out.nodes[i] = l.nodes()[i];
  for (std::size_t i = 0; i < s.places; ++i) out.places[i] = l.places()[i];
  std::size_t k = 0;
  for (std::size_t t = 0; t < s.tables; ++t) {
    for (std::size_t i = 0; i < l.tables()[t].size(); ++i) out.pieces[k++] = l.tables()[t][i];
    out.table_ends[t] = k;
  }
  out.origin = l.origin();
  out.lower_bound = l.lower_bound();
  out.extent = l.extent();
  return out;
}

// The layout type of a source without state: any type with a constexpr form().
template <class Source>
using static_layout_of = static_layout<detail::static_form_of<Source>()>;

}  // namespace detail

}  // namespace argosy
