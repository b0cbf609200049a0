// The objects of a new file: groups, datasets, and the scales that name dimensions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/format/detail/hdf5/hdf5_file.hpp>

namespace argosy::detail::hdf5 {

// An attribute of netCDF says that a scale has no values.
inline constexpr std::string_view no_coordinates =
    "This is a netCDF dimension but not a netCDF variable.";

// The use of a scale: a dataset, and the number of its dimension.
struct scale_use {
  std::size_t object;
  std::int64_t dimension;
};

struct object {
  enum class kind { group, dataset, scale };
  kind what = kind::group;
  std::string path = {};
  std::vector<std::size_t> children = {};  // links of a group
  std::size_t number = 0;                  // its number in the content
  bool has_number = false;                 // true if the content has the group
  std::int64_t length = 0;                 // length of a scale without values
  std::vector<std::size_t> scales = {};    // scales of the dimensions of a dataset
  std::vector<scale_use> uses = {};        // not empty: a scale

  // Returns the last part of the path.
  std::string_view name() const noexcept {
    std::string_view const all = path;
    return all.substr(all.rfind('/') + 1);
  }
};

// Returns the objects of a content; the first one is the root. Throws if names are invalid, or if
// dimensions of one name differ.
std::vector<object> objects_of(hdf5_content const& c);

}  // namespace argosy::detail::hdf5
