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

namespace argosy::detail {

// The positions of the values of image data. Each vector has an entry for each index of the arrays,
// 1 to 3, in the order of the indices. The index that runs fastest in the file is x.
struct vtkhdf_grid {
  std::vector<std::int64_t> points = {};
  std::vector<double> origin = {}, spacing = {};  // if left out, 0 and 1
  argosy::order order = argosy::order::c;         // order of the arrays
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
};

struct vtkhdf_state {
  std::string type;  // "ImageData"
  vtkhdf_grid grid = {};
  std::vector<vtkhdf_array> arrays = {};  // without image data, the first one is the points
  std::vector<vtkhdf_list> cells = {};    // one list, or the four of poly data
  std::span<std::uint8_t const> types = {};
  bool points_are_vertices = false;
  bool is_image() const noexcept { return cells.empty(); }
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
};

// A dataset of the file, and this rank's part of it.
struct vtkhdf_dataset {
  hdf5_dataset what;
  array_part part = type<std::byte>;
  source data = {};
  std::vector<std::int64_t> own = {};  // the data, if the program does not have it
  std::vector<double> times = {};
};

// A state on one rank, evaluated.
struct vtkhdf_here {
  std::vector<vtkhdf_data> arrays = {};
  std::vector<vtkhdf_list> cells = {};
  std::vector<std::int64_t> offsets = {}, corners = {};  // if points are vertices
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

}  // namespace argosy::detail
