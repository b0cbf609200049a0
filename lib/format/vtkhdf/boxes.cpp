// Boxes of overlapping AMR: those of a rank, and those of all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include <argosy/format/detail/vtkhdf_state.hpp>
#include <argosy/layout/pack.hpp>

#include "../literal.hpp"
#include "names.hpp"

namespace argosy::detail {

using namespace vtkhdf_names;

namespace {

constexpr std::int64_t most_cells = std::numeric_limits<std::int32_t>::max();  // numbers of VTK

failure fault_of(vtkhdf_levels const& l) {
  if (l.spacing.empty() || l.spacing.size() > 3)
    return refused("boxes have 1 to 3 indices, and the spacing has " +
                   std::to_string(l.spacing.size()) + " entries");
  if (!l.origin.empty() && l.origin.size() != l.spacing.size())
    return refused("the origin has an entry for each index, or none");
  for (double const x : l.spacing)
    if (!(x > 0) || !std::isfinite(x)) return refused("the spacing of level 0 is not positive");
  std::int64_t all = 1;
  for (std::int64_t const n : l.refinement) {
    if (n < 2) return refused("a refinement is " + std::to_string(n), "give 2 or more");
    if (__builtin_mul_overflow(all, n, &all) || all > most_cells)
      return refused("the refinements of all levels together are 2^31 or more");
  }
  return {};
}

failure fault_of(vtkhdf_levels const& l, vtkhdf_box const& b, std::size_t number) {
  std::string const name = "box " + std::to_string(number) + " of this rank";
  auto const levels = std::ssize(l.refinement) + 1;
  if (b.level < 0 || b.level >= levels)
    return refused(name + " has the level " + std::to_string(b.level) + ", and there are " +
                       std::to_string(levels) + " levels",
                   "there is one level more than refinements");
  if (b.start.size() != l.spacing.size() || b.cells.size() != l.spacing.size())
    return refused(name + " has " + std::to_string(b.start.size()) + " and " +
                   std::to_string(b.cells.size()) + " entries in start and cells, and there are " +
                   std::to_string(l.spacing.size()) + " indices");
  std::string const place =
      name + ", from " + python_tuple(b.start) + " on with " + python_tuple(b.cells) + " cells";
  std::int64_t const ratio = b.level == 0 ? 1 : l.refinement[static_cast<std::size_t>(b.level) - 1];
  for (std::size_t k = 0; k < b.start.size(); ++k) {
    if (b.start[k] < 0 || b.cells[k] < 1) return refused(place + ", is no box");
    if (b.start[k] > most_cells - 1 || b.cells[k] > most_cells - 1 - b.start[k])
      return refused(place + ", ends at 2^31 or later");
    if (b.start[k] % ratio != 0 || b.cells[k] % ratio != 0)
      return refused(
          place + ", does not begin and end with cells of level " + std::to_string(b.level - 1),
          "begin and end boxes of level " + std::to_string(b.level) + " at multiples of " +
              std::to_string(ratio));
  }
  std::int64_t points = 1;
  for (std::int64_t const n : b.cells)
    if (__builtin_mul_overflow(points, n + 1, &points) || points >> 56 != 0)
      return refused(place + ", is larger than any file");
  return {};
}

std::string words_for(vtkhdf_placed_box const& b) {
  return "from " + python_tuple(b.first) + " to " + python_tuple(b.last) + " of rank " +
         std::to_string(b.rank);
}

// Returns a failure if two boxes of a level have a cell in common.
failure overlap_in(std::vector<vtkhdf_placed_box> all) {
  std::ranges::sort(all, {}, [](auto const& b) { return std::tuple(b.level, b.first[0]); });
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1;
         j < all.size() && all[j].level == all[i].level && all[j].first[0] <= all[i].last[0]; ++j) {
      bool overlap = true;
      for (std::size_t k = 1; k < 3; ++k)
        overlap &=
            std::max(all[i].first[k], all[j].first[k]) <= std::min(all[i].last[k], all[j].last[k]);
      if (overlap)
        return refused("two boxes of level " + std::to_string(all[i].level) +
                       " overlap; their cells in the order x, y, z: " + words_for(all[i]) +
                       ", and " + words_for(all[j]));
    }
  return {};
}

// Writes and reads the message of a rank.
class message {
 public:
  message() = default;
  explicit message(std::string_view all) : rest_(all) {}
  void put(std::int64_t n) { text_.append(reinterpret_cast<char const*>(&n), sizeof n); }
  std::int64_t number() {
    std::int64_t n = 0;
    std::memcpy(&n, rest_.data(), sizeof n);
    rest_.remove_prefix(sizeof n);
    return n;
  }
  void put(std::string const& text) {
    put(std::ssize(text));
    text_ += text;
  }
  std::string text_of_any_length() {
    auto const size = static_cast<std::size_t>(number());
    std::string found(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return found;
  }
  std::string const& text() const { return text_; }

 private:
  std::string text_;
  std::string_view rest_;
};

std::string text_of(vtkhdf_all_boxes const& all) {
  message to;
  to.put(std::ssize(all.boxes));
  for (vtkhdf_placed_box const& b : all.boxes) {
    to.put(b.rank);
    to.put(b.level);
    for (std::size_t k = 0; k < 3; ++k) to.put(b.first[k]), to.put(b.last[k]);
  }
  to.put(std::ssize(all.kinds));
  for (vtkhdf_kind const& k : all.kinds) {
    to.put(k.name);
    to.put(k.type);
    to.put(k.columns);
  }
  return to.text();
}

std::string words_for(std::vector<vtkhdf_kind> const& kinds) {
  std::string words;
  for (vtkhdf_kind const& k : kinds)
    words += (words.empty() ? "'" : ", '") + k.name + "' of " + k.type +
             (k.columns > 0 ? " (" + std::to_string(k.columns) + ",)" : "");
  return words.empty() ? "no arrays" : words;
}

}  // namespace

std::int64_t vtkhdf_placed_box::cells() const noexcept {
  std::int64_t all = 1;
  for (std::size_t k = 0; k < 3; ++k) all *= last[k] - first[k] + 1;
  return all;
}

std::int64_t vtkhdf_placed_box::points() const noexcept {
  std::int64_t all = 1;
  for (std::size_t k = 0; k < 3; ++k) all *= last[k] - first[k] + 2;
  return all;
}

void vtkhdf_lengths::add(vtkhdf_placed_box const& b) noexcept {
  ++boxes;
  cells += b.cells();
  points += b.points();
}

std::array<double, 3> vtkhdf_names::spacing_of(vtkhdf_levels const& levels, std::size_t level) {
  std::array<double, 3> spacing{1, 1, 1};
  in_order_of_vtk(levels.spacing, levels.order, spacing);
  std::int64_t all = 1;
  for (std::size_t l = 0; l < level; ++l) all *= levels.refinement[l];
  for (std::size_t k = 0; k < levels.spacing.size(); ++k) spacing[k] /= static_cast<double>(all);
  return spacing;
}

failure vtkhdf_names::find_boxes(vtkhdf_state const& state, vtkhdf_here& here, std::int64_t rank) {
  if (failure why = fault_of(state.levels)) return why;
  for (vtkhdf_array const& a : state.arrays)
    if (a.boxes == 0)
      return refused("'" + a.name + "' is of no box", "call add_box first");
    else if (!a.of_cells && state.levels.spacing.size() < 3)
      return refused("'" + a.name + "' is of points, and VTK shows boxes of " +
                         std::to_string(state.levels.spacing.size()) +
                         " indices as one layer of cells",
                     "give values of cells, or three indices");
  for (std::size_t i = 0; i < state.boxes.size(); ++i) {
    vtkhdf_box const& b = state.boxes[i];
    if (failure why = fault_of(state.levels, b, i)) return why;
    vtkhdf_placed_box placed{rank, b.level};
    in_order_of_vtk(b.start, state.levels.order, placed.first);
    in_order_of_vtk(b.cells, state.levels.order, placed.last);
    for (std::size_t k = 0; k < b.cells.size(); ++k) placed.last[k] += placed.first[k] - 1;
    here.all.boxes.push_back(placed);
  }
  return {};
}

failure vtkhdf_names::find_kinds(vtkhdf_state const& state, vtkhdf_here& here,
                                 std::span<std::int64_t const> columns) {
  std::vector<std::vector<vtkhdf_kind>> of_boxes(state.boxes.size());
  for (std::size_t i = 0; i < state.arrays.size(); ++i) {
    vtkhdf_array const& a = state.arrays[i];
    extend::dtype type;
    (void)file_shape_of(here.arrays[i].part, type);
    of_boxes[a.boxes - 1].push_back({a.name, to_string(type), columns[i]});
  }
  for (std::vector<vtkhdf_kind>& kinds : of_boxes) {
    std::ranges::sort(kinds, {}, &vtkhdf_kind::name);
    auto const twice = std::ranges::adjacent_find(kinds, {}, &vtkhdf_kind::name);
    if (twice != kinds.end()) return refused("'" + twice->name + "' of a box is there twice");
    if (kinds != of_boxes[0])
      return refused("a box of this rank has " + words_for(kinds) + ", and another one has " +
                         words_for(of_boxes[0]),
                     "give each box the same arrays");
  }
  if (!of_boxes.empty()) here.all.kinds = std::move(of_boxes[0]);
  return {};
}

std::vector<parcel> send_vtkhdf_boxes(vtkhdf_all_boxes const& mine) {
  std::string const text = text_of(mine);
  auto const bytes = std::as_bytes(std::span(text));
  return {{0, {bytes.begin(), bytes.end()}}};
}

failure join_vtkhdf_boxes(std::vector<parcel> const& parcels, std::int64_t levels,
                          std::string& all) {
  vtkhdf_all_boxes joined;
  int first = -1;  // a rank that has boxes
  for (parcel const& p : parcels) {
    vtkhdf_all_boxes const theirs =
        read_vtkhdf_boxes({reinterpret_cast<char const*>(p.content.data()), p.content.size()});
    if (theirs.boxes.empty()) continue;
    if (first >= 0 && theirs.kinds != joined.kinds)
      return refused("the boxes of rank " + std::to_string(first) + " have " +
                         words_for(joined.kinds) + ", and those of rank " + std::to_string(p.rank) +
                         " have " + words_for(theirs.kinds),
                     "give each box the same arrays");
    if (first < 0) first = p.rank, joined.kinds = theirs.kinds;
    joined.boxes.insert(joined.boxes.end(), theirs.boxes.begin(), theirs.boxes.end());
  }
  if (first < 0) return refused("no rank has a box", "add_box adds one");
  if (failure why = overlap_in(joined.boxes)) return why;
  vtkhdf_all_boxes by_level{.kinds = std::move(joined.kinds)};
  for (std::int64_t level = 0; level < levels; ++level) {
    auto const before = by_level.boxes.size();
    std::ranges::copy_if(joined.boxes, std::back_inserter(by_level.boxes),
                         [&](auto const& b) { return b.level == level; });
    // VTK then uses a refinement that it has not set, with any amount of memory.
    if (by_level.boxes.size() == before)
      return refused(
          "level " + std::to_string(level) + " has no box, and VTK fails if a level has none",
          "give each level a box in each step, or begin a file with fewer levels");
  }
  all = text_of(by_level);
  return {};
}

vtkhdf_all_boxes read_vtkhdf_boxes(std::string_view all) {
  message from(all);
  vtkhdf_all_boxes found;
  found.boxes.resize(static_cast<std::size_t>(from.number()));
  for (vtkhdf_placed_box& b : found.boxes) {
    b.rank = from.number();
    b.level = from.number();
    for (std::size_t k = 0; k < 3; ++k) {
      b.first[k] = from.number();
      b.last[k] = from.number();
    }
  }
  found.kinds.resize(static_cast<std::size_t>(from.number()));
  for (vtkhdf_kind& k : found.kinds) {
    k.name = from.text_of_any_length();
    k.type = from.text_of_any_length();
    k.columns = from.number();
  }
  return found;
}

void pack_vtkhdf_blocks(vtkhdf_dataset& d) {
  std::int64_t all = 0;
  for (vtkhdf_data const& b : d.blocks) all += b.part.part_bytes();
  d.packed.resize(static_cast<std::size_t>(all));
  std::byte* at = d.packed.data();
  for (vtkhdf_data const& b : d.blocks) {
    const_buffer const& from = b.data.buffer();
    pack(from.form(), from.address(), at);
    at += from.size();
  }
  d.data = source(std::span<std::byte const>(d.packed));
}

}  // namespace argosy::detail
