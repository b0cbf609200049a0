// Names in VTKHDF files, and the columns of their arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/detail/vtkhdf_state.hpp>
#include <argosy/format/dtype.hpp>

namespace argosy::detail::vtkhdf_names {

inline constexpr std::string_view root_group = "VTKHDF", steps_group = "VTKHDF/Steps";

inline failure refused(std::string words, std::string advice = {}) {
  return {errc::argument, std::move(words), std::move(advice)};
}

// Returns the name of list `t` of the cells: one, or the four of poly data.
inline std::string cells_of(std::size_t lists, std::size_t t) {
  constexpr std::string_view poly[] = {"Vertices", "Lines", "Polygons", "Strips"};
  return lists == 1 ? "cells" : std::string(poly[t]);
}

// Returns the shape of the array in the file, in C order, and sets its type. A chosen member makes
// records of one field, of which the file has the field.
std::vector<std::int64_t> file_shape_of(array_part const& part, extend::dtype& type);

// Returns the group of a level, with a slash at its end: "Level0/".
inline std::string level_group(std::size_t level) { return "Level" + std::to_string(level) + "/"; }

// Checks the levels and boxes of this rank. Sets the boxes of `here`.
failure find_boxes(vtkhdf_state const& state, vtkhdf_here& here, std::int64_t rank);
// Checks that all boxes of this rank have the same arrays. Sets the kinds of `here`. `columns` has
// an entry for each array of the state.
failure find_kinds(vtkhdf_state const& state, vtkhdf_here& here,
                   std::span<std::int64_t const> columns);
// Returns the spacing of a level, in the order of VTK.
std::array<double, 3> spacing_of(vtkhdf_levels const& levels, std::size_t level);

// Sets the entries of `to` in the order of VTK, in which x is the first index.
template <class T, class U, std::size_t Entries>
void in_order_of_vtk(std::vector<T> const& from, order o, std::array<U, Entries>& to) {
  for (std::size_t k = 0; k < from.size(); ++k)
    to[k] = from[o == order::c ? from.size() - 1 - k : k];
}

}  // namespace argosy::detail::vtkhdf_names
