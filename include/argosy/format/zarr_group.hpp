// A group of a Zarr store, and all arrays and groups below it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/format/zarr_header.hpp>

namespace argosy {

// An array or a group below a group. A regular value.
struct zarr_member {
  std::string path = {};  // from the group on: "ocean/u"
  bool is_group = false;
  std::optional<zarr_header> array = {};  // no value: a group, or an array that cannot be read
  std::string attributes = {};            // a JSON object, if this is a group; empty: none
  std::string unread = {};                // why the array cannot be read

  friend bool operator==(zarr_member const&, zarr_member const&) = default;
};

// The metadata of a group. A regular value.
//
//   for (io::zarr_member const& m : io::zarr::group_of(world, "run.zarr").members)
//     if (m.array) std::cout << m.path << ": " << to_string(*m.array) << "\n";
struct zarr_group {
  std::string attributes = {};            // a JSON object; empty: none
  std::vector<zarr_member> members = {};  // all that lies below, sorted by path
  int version = 3;                        // the version of the format
  bool consolidated = false;              // the members are those of the consolidated metadata

  friend bool operator==(zarr_group const&, zarr_group const&) = default;
};

// Returns a line for each member. Local.
std::string to_string(zarr_group const& g);

namespace detail {

// Parses the metadata of a group with that of its members in it (read_zarr_group). If it is
// invalid, sets `why` and returns nothing.
std::optional<zarr_group> parse_zarr_group(std::string_view json, failure& why);

}  // namespace detail
}  // namespace argosy
