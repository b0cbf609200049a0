// States for VTKHDF files: what a rank has, and whether it can be shown.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/vtkhdf_state.hpp>

#include "../literal.hpp"
#include "names.hpp"

namespace argosy::detail {

using namespace vtkhdf_names;

namespace {

order order_of(vtkhdf_state const& state) {
  return state.has_boxes() ? state.levels.order : state.grid.order;
}

failure fault_of(vtkhdf_grid const& g) {
  if (g.points.empty() || g.points.size() > 3)
    return refused("a grid has 1 to 3 indices, and this one has " +
                   std::to_string(g.points.size()));
  for (std::int64_t const n : g.points)
    if (n < 2)
      return refused("the grid has " + std::to_string(n) + " points along an index",
                     "leave out an index with one point");
  for (std::vector<double> const* const v : {&g.origin, &g.spacing})
    if (!v->empty() && v->size() != g.points.size())
      return refused("origin and spacing have an entry for each index, or none");
  return {};
}

// Returns a failure unless the cells are those of this rank's points.
failure fault_of(vtkhdf_list const& cells, std::string_view what, std::int64_t points) {
  auto const wrong = [&](std::string const& words) { return refused(std::string(what) + words); };
  std::int64_t at = 0;
  for (std::size_t k = 0; k < cells.offsets.size(); ++k) {
    if (cells.offsets[k] < at || (k == 0 && cells.offsets[k] != 0))
      return wrong(": offset " + std::to_string(k) + " is " + std::to_string(cells.offsets[k]) +
                   "; offsets begin with 0 and do not decrease");
    at = cells.offsets[k];
  }
  if (at != std::ssize(cells.corners))
    return wrong(": the last offset is " + std::to_string(at) + ", and there are " +
                 std::to_string(cells.corners.size()) + " corners");
  for (std::int64_t const c : cells.corners)
    if (c < 0 || c >= points)
      return wrong(": a corner is point " + std::to_string(c) + ", and this rank has " +
                   std::to_string(points) + " points");
  return {};
}

failure fault_of(vtkhdf_state const& state, vtkhdf_here& here, vtkhdf_step const& at) {
  vtkhdf_numbers const& mine = at.mine;
  if (state.is_image()) return fault_of(state.grid);
  if (state.has_boxes()) return find_boxes(state, here, at.rank);
  extend::dtype type;
  if (file_shape_of(here.arrays[0].part, type) != std::vector{mine.points, std::int64_t{3}} ||
      type.kind != 'f')
    return refused("points are double[3] or float[3], and these are " +
                   to_string(here.arrays[0].part));
  for (std::size_t t = 0; t < here.cells.size(); ++t)
    if (failure why = fault_of(here.cells[t], cells_of(here.cells.size(), t), mine.points))
      return why;
  if (state.type == "UnstructuredGrid" && std::ssize(state.types) != mine.cells[0])
    return refused("there are " + std::to_string(mine.cells[0]) + " cells and " +
                   std::to_string(state.types.size()) + " types");
  return {};
}

// Returns true if the shape is this one, or with one more size of vectors.
bool fits(std::vector<std::int64_t> const& shape, std::vector<std::int64_t> const& wanted) {
  return (shape.size() == wanted.size() || shape.size() == wanted.size() + 1) &&
         std::equal(wanted.begin(), wanted.end(), shape.begin()) &&
         (shape.size() == wanted.size() || shape.back() >= 1);
}

// Returns the shape that the values of points or cells must have in the file, without vectors. The
// values of a box may also be a list. `found` is the shape that they have.
std::vector<std::int64_t> shape_of(vtkhdf_state const& state, vtkhdf_numbers const& mine,
                                   vtkhdf_array const& a, std::vector<std::int64_t> const& found) {
  std::vector<std::int64_t> shape;
  if (state.is_image()) {
    shape = state.grid.points;
    for (std::int64_t& n : shape) n -= a.of_cells ? 1 : 0;
  } else if (state.has_boxes()) {
    shape = state.boxes[a.boxes - 1].cells;
    for (std::int64_t& n : shape) n += a.of_cells ? 0 : 1;
  } else {
    std::int64_t cells = 0;
    for (std::int64_t const n : mine.cells) cells += n;
    return {a.of_cells ? cells : mine.points};
  }
  if (order_of(state) == order::fortran) std::ranges::reverse(shape);
  if (state.has_boxes() && !fits(found, shape)) {
    std::int64_t all = 1;  // a box has less than 2^31 of them along an index
    for (std::int64_t const n : shape)
      if (__builtin_mul_overflow(all, n, &all)) return shape;
    if (fits(found, {all})) return {all};
  }
  return shape;
}

failure fault_of_name(vtkhdf_array const& a) {
  std::string_view const own = std::string_view(a.name).substr(a.name.find('/') + 1);
  if (own.empty() || own.find_first_of("/.") != own.npos || !is_utf8(own))
    return refused("'" + a.name + "' is no name of an array",
                   "give a name in UTF-8 without / and dots");
  return {};
}

bool is_shown(extend::dtype const& type) {
  return (type.kind == 'i' || type.kind == 'u' || type.kind == 'f') && type.bytes <= 8;
}

// Evaluates field data. Adds its values to the lines.
failure find_fields(vtkhdf_state const& state, vtkhdf_here& here, std::string& lines) {
  for (vtkhdf_array const& a : state.fields) {
    vtkhdf_data d = a.now();
    if (d.data.fault()) return *d.data.fault();
    if (failure why = fault_of_name(a)) return why;
    if (state.has_boxes())
      return refused("'" + a.name + "': VTK does not read field data of boxes");
    if (d.part.shape().size() != 1 || !is_shown(d.part.type()))
      return refused("'" + a.name + "' is " + to_string(d.part) +
                     ", and field data is integers, float or double");
    lines +=
        "field '" + a.name + "' " + to_string(d.part) + " " + value_words(d.data.buffer()) + "\n";
    here.fields.push_back(std::move(d));
  }
  return {};
}

failure fault_of(vtkhdf_state const& state, vtkhdf_array const& a, vtkhdf_data const& d,
                 vtkhdf_numbers const& mine) {
  if (d.data.fault()) return *d.data.fault();
  (void)d.part.part_bytes();  // throws the fault of the part
  if (failure why = fault_of_name(a)) return why;
  std::string const name = "'" + a.name + "'";
  extend::dtype type;
  std::vector<std::int64_t> const shape = file_shape_of(d.part, type),
                                  wanted = shape_of(state, mine, a, shape);
  if ((state.is_image() || state.has_boxes()) && wanted.size() > 1 &&
      d.part.order() != order_of(state))
    return refused(name + " has another order than the grid");
  if (!is_shown(type))
    return refused(name + " is of " + to_string(type) +
                   ", and VTK shows integers, float and double");
  if (a.name != "Points" && !fits(shape, wanted))
    return refused(name + " has the shape " + python_tuple(shape) +
                   " in C order, and the values of " + (a.of_cells ? "cells" : "points") +
                   " have " + python_tuple(wanted) + ", and perhaps one more size of vectors");
  if (state.has_boxes() && d.part.form() != bytes(d.part.bytes()))
    return refused(name + ": the part is not all of the box, in its order",
                   "give an array of the size of the box, and select by the data");
  return detail::fault_of(d.part, d.data.buffer(), a.name);
}

void count(vtkhdf_state const& state, vtkhdf_here& here, vtkhdf_numbers& mine) {
  if (state.is_image() || state.has_boxes()) return;
  mine.points = here.arrays[0].part.shape()[0];
  here.cells = state.cells;
  if (state.points_are_vertices) {
    for (std::int64_t i = 0; i <= mine.points; ++i) here.offsets.push_back(i);
    here.corners.assign(here.offsets.begin(), here.offsets.end() - 1);
    here.cells[0] = {here.corners, here.offsets};
  }
  for (std::size_t t = 0; t < here.cells.size(); ++t) {
    mine.cells[t] = std::max<std::int64_t>(0, std::ssize(here.cells[t].offsets) - 1);
    mine.corners[t] = std::ssize(here.cells[t].corners);
  }
}

}  // namespace

std::vector<std::int64_t> vtkhdf_names::file_shape_of(array_part const& part, extend::dtype& type) {
  std::vector<std::int64_t> shape = part.shape();
  if (part.order() == order::fortran) std::ranges::reverse(shape);
  type = part.type();
  if (type.kind != 'r' || type.fields.size() != 1 || type.fields[0].type.bytes == 0) return shape;
  dtype_field const field = type.fields[0];
  shape.insert(shape.end(), field.shape.begin(), field.shape.end());
  type = field.type;
  return shape;
}

void vtkhdf_numbers::combine(vtkhdf_numbers const& other) noexcept {
  points += other.points;
  for (std::size_t t = 0; t < cells.size(); ++t) {
    cells[t] += other.cells[t];
    corners[t] += other.corners[t];
  }
}

namespace {

std::string digits_of(double x) {
  char text[32];
  std::snprintf(text, sizeof text, " %a", x);
  return text;
}

}  // namespace

failure look_at_vtkhdf(vtkhdf_state const& state, vtkhdf_here& here, vtkhdf_step& at,
                       std::string& lines) {
  lines += "kind " + state.type + "\ngrid " + python_tuple(state.grid.points) +
           python_tuple(state.levels.refinement) + (order_of(state) == order::c ? " C" : " F");
  for (std::vector<double> const* const v :
       {&state.grid.origin, &state.grid.spacing, &state.levels.origin, &state.levels.spacing})
    for (double const x : *v) lines += digits_of(x);
  lines += "\ntime" + digits_of(at.time) + "\nroom " + std::to_string(at.room.steps) +
           digits_of(at.room.growth) + "\n";
  for (vtkhdf_array const& a : state.arrays) {
    here.arrays.push_back(a.now());
    extend::dtype type;
    (void)file_shape_of(here.arrays.back().part, type);
    // A rank without boxes has no arrays.
    if (!state.has_boxes()) lines += "array '" + a.name + "' " + to_string(type) + "\n";
  }
  if (failure why = find_fields(state, here, lines)) return why;
  count(state, here, at.mine);
  if (!std::isfinite(at.time)) return refused("the time of the step is not finite");
  if (at.room.steps < 1 || !(at.room.growth >= 1))
    return refused("the room is less than the first step");
  if (failure why = fault_of(state, here, at)) return why;
  for (std::size_t i = 0; i < here.arrays.size(); ++i)
    if (failure why = fault_of(state, state.arrays[i], here.arrays[i], at.mine)) return why;
  if (!state.has_boxes()) return {};
  std::vector<std::int64_t> columns;
  for (std::size_t i = 0; i < here.arrays.size(); ++i) {
    extend::dtype type;
    std::vector<std::int64_t> const shape = file_shape_of(here.arrays[i].part, type);
    auto const rows = shape_of(state, at.mine, state.arrays[i], shape).size();
    columns.push_back(shape.size() > rows ? shape.back() : 0);
  }
  return find_kinds(state, here, columns);
}

}  // namespace argosy::detail
