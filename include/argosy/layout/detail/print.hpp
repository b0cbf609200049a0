// Text of layouts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/layout/print.hpp>

namespace argosy::detail {

inline std::string number_text(std::int64_t n) { return std::to_string(n); }

// Returns 0.666 as "66.6 %", independent of the locale. If copies of a layout overlap so often that
// no number holds the share, the text gives a limit.
inline std::string percent_text(double share) {
  if (share >= 1e9) return "over 100000000000 %";
  auto const tenths = static_cast<std::int64_t>(share * 1000 + 0.5);
  return number_text(tenths / 10) + (tenths % 10 == 0 ? "" : "." + number_text(tenths % 10)) + " %";
}

// Describes a table by its piece lengths and hull, not by its offsets.
inline std::string table_text(piece_table const& t) {
  std::int64_t shortest = t.length(0), longest = t.length(0);
  for (std::size_t i = 0; i < t.size() && !t.equal_lengths(); ++i) {
    shortest = std::min(shortest, t.length(i));
    longest = std::max(longest, t.length(i));
  }
  std::string const lengths = shortest == longest
                                  ? number_text(shortest)
                                  : number_text(shortest) + " to " + number_text(longest);
  return "table(" + number_text(static_cast<std::int64_t>(t.size())) + " pieces of " + lengths +
         " bytes in [" + number_text(t.low()) + ", " + number_text(t.high()) + "))";
}

class algebra_text {
 public:
  explicit algebra_text(layout const& l) : layout_(l) {}

  std::string whole() {
    if (layout_.empty()) {
      text_ = "bytes(0)";
    } else {
      placed(layout_.origin(), layout_.root());
    }
    if (layout_.lower_bound() != layout_.true_lower_bound() ||
        layout_.extent() != layout_.true_extent())
      text_ = "resized(" + text_ + ", " + number_text(layout_.lower_bound()) + ", " +
              number_text(layout_.extent()) + ")";
    return std::move(text_);
  }

 private:
  static constexpr std::int64_t most_places = 20, shown_places = 8;
  // Nodes may be shared, so the text of a short form may be long.
  static constexpr std::size_t most_characters = 10'000;

  void placed(std::int64_t displacement, layout_node const& n) {
    if (displacement == 0) return of(n);
    text_ += "at(" + number_text(displacement) + ", ";
    of(n);
    text_ += ")";
  }

  void of(layout_node const& n) {
    if (text_.size() > most_characters) {
      text_ += "/* " + counted(n.pieces, "piece") + " */";
      return;
    }
    switch (n.kind) {
      case node_kind::bytes:
        text_ += "bytes(" + number_text(n.size) + ")";
        return;
      case node_kind::repeat:
        text_ += "repeat(" + number_text(n.count) + ", " + number_text(n.stride) + ", ";
        of(layout_.nodes()[n.child]);
        text_ += ")";
        return;
      case node_kind::concat:
        return list(n);
      case node_kind::table:
        text_ += table_text(layout_.tables()[n.child]);
        return;
    }
  }

  void list(layout_node const& n) {
    std::int64_t const shown = n.count <= most_places ? n.count : shown_places;
    text_ += "concat(";
    for (std::int64_t i = 0; i < shown; ++i) {
      layout_place const& p = layout_.places()[n.child + static_cast<std::size_t>(i)];
      if (i > 0) text_ += ", ";
      placed(p.displacement, layout_.nodes()[static_cast<std::size_t>(p.node)]);
    }
    text_ += shown < n.count ? ", /* " + number_text(n.count - shown) + " more */)" : ")";
  }

  layout const& layout_;
  std::string text_;
};

// Rows of a table whose first column is indented text; the others are numbers, set to the right.
class tree_text {
 public:
  explicit tree_text(layout const& l) : layout_(l), line_of_(l.nodes().size(), 0) {}

  std::string whole() {
    row({"layout", "bytes", "pieces", "true extent"});
    if (layout_.empty())
      row({"no bytes", "0", "0", "0"});
    else
      of(layout_.root(), 1,
         layout_.origin() == 0 ? "" : "at " + number_text(layout_.origin()) + ": ");
    std::string out = lines();
    out += "bounds [" + number_text(layout_.lower_bound()) + ", " +
           number_text(layout_.upper_bound()) + "), extent " + number_text(layout_.extent()) +
           ", density " + percent_text(layout_.density()) + "\n";
    return out;
  }

 private:
  static constexpr std::size_t most_rows = 200;
  static constexpr std::int64_t most_places = 20, shown_places = 8;
  struct cells {
    std::string what, bytes, pieces, extent;
  };

  void row(cells c) { rows_.push_back(std::move(c)); }

  void of(layout_node const& n, std::size_t level, std::string const& where) {
    if (rows_.size() > most_rows) return;
    auto& line = line_of_[static_cast<std::size_t>(&n - layout_.nodes().data())];
    bool const seen = line > 0 && n.kind != node_kind::bytes;
    cells c{std::string(2 * (level - 1), ' ') + where + name(n), number_text(n.size),
            number_text(n.pieces), number_text(n.high - n.low)};
    if (seen) c.what += ", as in line " + number_text(static_cast<std::int64_t>(line));
    if (line == 0) line = rows_.size();
    row(std::move(c));
    if (seen) return;
    if (n.kind == node_kind::repeat) of(layout_.nodes()[n.child], level + 1, "");
    if (n.kind == node_kind::concat) {
      std::int64_t const shown = n.count <= most_places ? n.count : shown_places;
      for (std::int64_t i = 0; i < shown; ++i) {
        layout_place const& p = layout_.places()[n.child + static_cast<std::size_t>(i)];
        of(layout_.nodes()[static_cast<std::size_t>(p.node)], level + 1,
           "at " + number_text(p.displacement) + ": ");
      }
      if (shown < n.count)
        row({std::string(2 * level, ' ') + number_text(n.count - shown) + " more", "", "", ""});
    }
  }

  std::string name(layout_node const& n) const {
    switch (n.kind) {
      case node_kind::bytes:
        return "bytes";
      case node_kind::repeat:
        return number_text(n.count) + " copies, stride " + number_text(n.stride);
      case node_kind::concat:
        return "list of " + number_text(n.count);
      case node_kind::table:
        break;
    }
    return layout_.tables()[n.child].is_borrowed() ? "table, borrowed" : "table";
  }

  std::string lines() const {
    std::size_t what = 0, bytes = 0, pieces = 0, extent = 0;
    for (cells const& c : rows_) {
      what = std::max(what, c.what.size());
      bytes = std::max(bytes, c.bytes.size());
      pieces = std::max(pieces, c.pieces.size());
      extent = std::max(extent, c.extent.size());
    }
    std::string out;
    for (cells const& c : rows_) {
      out += c.what;
      if (!c.bytes.empty())
        out += std::string(what - c.what.size() + 2, ' ') + right(c.bytes, bytes) + "  " +
               right(c.pieces, pieces) + "  " + right(c.extent, extent);
      out += "\n";
    }
    return out;
  }

  static std::string right(std::string const& text, std::size_t width) {
    return std::string(width - text.size(), ' ') + text;
  }

  layout const& layout_;
  std::vector<std::size_t> line_of_;
  std::vector<cells> rows_;
};

}  // namespace argosy::detail

namespace argosy {

inline std::string to_string(layout const& l) { return detail::algebra_text(l).whole(); }
inline std::string to_tree(layout const& l) { return detail::tree_text(l).whole(); }

}  // namespace argosy
