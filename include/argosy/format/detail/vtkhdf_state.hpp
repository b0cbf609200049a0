// A state for a VTKHDF file: grid, cells and arrays; and the datasets of a file that has it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/file/data.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/hdf5_content.hpp>
#include <argosy/world/parcel.hpp>

namespace argosy::detail {

// The positions of the values of image data. Each vector has an entry for each index of the arrays,
// 1 to 3, in the order of the indices. The index that runs fastest in the file is x.
struct vtkhdf_grid {
  std::vector<std::int64_t> points = {};
  std::vector<double> origin = {}, spacing = {};  // if left out, 0 and 1
  argosy::order order = argosy::order::c;         // order of the arrays
};

// Levels of boxes of cells, each finer than the one before. The vectors `origin` and `spacing` have
// an entry for each index of the arrays, 1 to 3, in the order of the indices.
struct vtkhdf_levels {
  std::vector<double> spacing = {};           // the size of a cell of level 0
  std::vector<double> origin = {};            // the corner of cell 0; if left out, 0
  std::vector<std::int64_t> refinement = {};  // cells of level k + 1 along one cell of level k
  argosy::order order = argosy::order::c;     // order of the arrays
};
// A box of cells of this rank. The vectors have an entry for each index.
struct vtkhdf_box {
  std::int64_t level = 0;
  std::vector<std::int64_t> start = {};  // the first cell, counted in cells of its level
  std::vector<std::int64_t> cells = {};  // how many
};

// Cells of a rank. Cell k has the points corners[offsets[k]] to corners[offsets[k + 1] - 1], which
// are numbers of this rank's points. There is one offset more than cells, or none for no cells.
struct vtkhdf_list {
  std::span<std::int64_t const> corners = {}, offsets = {};
};
struct vtkhdf_cells {
  std::span<std::int64_t const> corners = {}, offsets = {};
  std::span<std::uint8_t const> types = {};  // numbers of VTK: 10 is a tetrahedron
};
// Cells of poly data. The arrays of cells have vertices first, then lines, polygons and strips.
struct vtkhdf_poly {
  vtkhdf_list vertices = {}, lines = {}, polygons = {}, strips = {};
};

// The room for steps in a new file: the most steps, and how large they are on average, as a
// multiple of the first one.
struct vtkhdf_room {
  std::int64_t steps = 1000;
  double growth = 2;
};

// This rank's part of an array, and its data.
struct vtkhdf_data {
  array_part part = type<std::byte>;
  source data = {};
};
struct vtkhdf_array {
  std::string name;  // "PointData/u"
  bool of_cells = false;
  std::function<vtkhdf_data()> now;
  std::size_t boxes = 0;  // the boxes that the state had; the array is of the last one
};

struct vtkhdf_state {
  std::string type;  // "ImageData"
  vtkhdf_grid grid = {};
  std::vector<vtkhdf_array> arrays = {};  // without image data, the first one is the points
  std::vector<vtkhdf_list> cells = {};    // one list, or the four of poly data
  std::span<std::uint8_t const> types = {};
  bool points_are_vertices = false;
  vtkhdf_levels levels = {};
  std::vector<vtkhdf_box> boxes = {};
  std::vector<vtkhdf_array> fields = {};
  bool is_image() const noexcept { return type == "ImageData"; }
  bool has_boxes() const noexcept { return type == "OverlappingAMR"; }
};

// A box of any rank, in the order of VTK: x is the first index. VTK reads boxes of three indices
// only. Along indices that the state does not have, boxes have one cell.
struct vtkhdf_placed_box {
  std::int64_t rank = 0, level = 0;
  std::array<std::int64_t, 3> first = {}, last = {};
  std::int64_t cells() const noexcept;
  std::int64_t points() const noexcept;
};
// The arrays of one name: type and columns, which are the same on all boxes.
struct vtkhdf_kind {
  std::string name, type;    // "CellData/u", "'<f8'"
  std::int64_t columns = 0;  // 0: one number
  bool of_cells() const noexcept { return name.starts_with("CellData/"); }
  friend bool operator==(vtkhdf_kind const&, vtkhdf_kind const&) = default;
};
// All boxes, by level, then by rank, and the arrays that each of them has. Before the ranks have
// exchanged them: those of this rank.
struct vtkhdf_all_boxes {
  std::vector<vtkhdf_placed_box> boxes = {};
  std::vector<vtkhdf_kind> kinds = {};
};
// The lengths of the lists of a level.
struct vtkhdf_lengths {
  std::int64_t boxes = 0, cells = 0, points = 0;
  void add(vtkhdf_placed_box const& b) noexcept;
};

// Numbers of points, cells and corners: of a rank, before a rank, or before a step.
struct vtkhdf_numbers {
  std::int64_t points = 0;
  std::array<std::int64_t, 4> cells = {}, corners = {};
  void combine(vtkhdf_numbers const& other) noexcept;
  friend bool operator==(vtkhdf_numbers const&, vtkhdf_numbers const&) = default;
};

// The place of a rank's data in a step.
struct vtkhdf_step {
  bool timed = false;     // false: the file has one state, without steps
  std::int64_t step = 0;  // its number
  double time = 0;
  vtkhdf_room room = {};
  int rank = 0, ranks = 1;
  // Parts of the step: one for each rank. VTK loses parts of later steps if the first one has a
  // single part, so that one rank adds an empty part.
  std::int64_t parts = 1;
  std::int64_t part = 0;                            // the number of the first rank's part
  vtkhdf_numbers start = {};                        // before this step
  vtkhdf_numbers mine = {}, before = {}, all = {};  // this rank, those before it, all
  std::vector<vtkhdf_lengths> levels = {};          // before this step
};

// A dataset of the file, and this rank's part of it.
struct vtkhdf_dataset {
  hdf5_dataset what;
  array_part part = type<std::byte>;
  source data = {};
  std::vector<std::int64_t> own = {};  // the data, if the program does not have it
  std::vector<double> times = {};
  bool in_blocks = false;  // the data is that of `blocks`, one behind the other
  std::vector<vtkhdf_data> blocks = {};
  std::vector<std::byte> packed = {};
};

// A state on one rank, evaluated.
struct vtkhdf_here {
  std::vector<vtkhdf_data> arrays = {}, fields = {};
  std::vector<vtkhdf_list> cells = {};
  std::vector<std::int64_t> offsets = {}, corners = {};  // if points are vertices
  vtkhdf_all_boxes all = {};
};

// Evaluates the state, and checks it and the step. Sets at.mine, and adds lines that must be equal
// on all ranks.
failure look_at_vtkhdf(vtkhdf_state const& state, vtkhdf_here& here, vtkhdf_step& at,
                       std::string& lines);
// Returns all datasets of the file with this step. A killed job may have left datasets of the file
// `found` longer than its steps.
std::vector<vtkhdf_dataset> vtkhdf_datasets(vtkhdf_state const& state, vtkhdf_here const& here,
                                            vtkhdf_step const& at, hdf5_content const& found = {});
hdf5_content vtkhdf_content(vtkhdf_state const& state, vtkhdf_step const& at,
                            std::vector<vtkhdf_dataset> const& all);
// Finds the place for one more step. Returns a failure if the file has no steps of such states.
failure find_vtkhdf_step(hdf5_content const& found, vtkhdf_state const& state, vtkhdf_step& at);
// Returns a failure unless the datasets of the file are these, with room for the step.
failure fault_of_vtkhdf(hdf5_content const& found, std::vector<vtkhdf_dataset> const& all);

// Exchange of boxes: each rank sends its own to rank 0, which joins and checks those of all ranks.
// Each rank reads what it gets back.
std::vector<parcel> send_vtkhdf_boxes(vtkhdf_all_boxes const& mine);
failure join_vtkhdf_boxes(std::vector<parcel> const& parcels, std::int64_t levels,
                          std::string& all);
vtkhdf_all_boxes read_vtkhdf_boxes(std::string_view all);
// Copies the blocks to `packed`, and makes that the data.
void pack_vtkhdf_blocks(vtkhdf_dataset& d);

// Data of this rank's points or cells: one element for each.
template <class Data>
using vtkhdf_element = element<std::remove_cv_t<std::ranges::range_value_t<Data>>>;
template <class Data, class Choice>
vtkhdf_data vtkhdf_rows(Data const& data, Choice const& choice) {
  auto const n = static_cast<std::int64_t>(std::ranges::size(data));
  array_part part = all_of({n}, inner_type_of(choice), choice.types());
  if constexpr (std::same_as<Choice, vtkhdf_element<Data>>)
    return {std::move(part), source(data)};
  else
    return {std::move(part), source(data, choice)};
}

// A range that is referred to, or a view of one.
template <class Data>
concept vtkhdf_range =
    std::ranges::contiguous_range<Data> &&
    (std::is_lvalue_reference_v<Data> || std::ranges::view<std::remove_cvref_t<Data>>);

template <vtkhdf_range Data, class Choice>
std::function<vtkhdf_data()> vtkhdf_now(Data&& data, Choice choice) {
  if constexpr (std::ranges::view<std::remove_cvref_t<Data>>)
    return [data, choice] { return vtkhdf_rows(data, choice); };
  else
    return [&data, choice] { return vtkhdf_rows(data, choice); };
}

// A number that is referred to, or a copy of one.
template <class Number>
std::function<vtkhdf_data()> vtkhdf_number(Number&& number) {
  using value = std::remove_cvref_t<Number>;
  auto const rows = [](value const& x) { return vtkhdf_rows(std::span(&x, 1), element<value>()); };
  if constexpr (std::is_lvalue_reference_v<Number>)
    return [&number, rows] { return rows(number); };
  else
    return [number, rows] { return rows(number); };
}

}  // namespace argosy::detail
