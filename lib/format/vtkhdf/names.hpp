// Names in VTKHDF files, and the columns of their arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/format/array_part.hpp>
#include <argosy/format/dtype.hpp>

namespace argosy::detail::vtkhdf_names {

inline constexpr std::string_view root_group = "VTKHDF", steps_group = "VTKHDF/Steps";

// Returns the name of list `t` of the cells: one, or the four of poly data.
inline std::string cells_of(std::size_t lists, std::size_t t) {
  constexpr std::string_view poly[] = {"Vertices", "Lines", "Polygons", "Strips"};
  return lists == 1 ? "cells" : std::string(poly[t]);
}

// Returns the shape of the array in the file, in C order, and sets its type. A chosen member makes
// records of one field, of which the file has the field.
std::vector<std::int64_t> file_shape_of(array_part const& part, extend::dtype& type);

}  // namespace argosy::detail::vtkhdf_names
