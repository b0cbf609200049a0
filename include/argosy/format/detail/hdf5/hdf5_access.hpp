// The way to a rank's part of a dataset.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <argosy/error/failure.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/detail/hdf5/hdf5_file.hpp>
#include <argosy/format/detail/zarr/zarr_grid.hpp>
#include <argosy/view/view.hpp>

namespace argosy::detail {

struct hdf5_access {
  std::size_t number = 0;  // the number of the dataset
  // The data is one range of the file, or chunks one behind the other. Otherwise each chunk is
  // found in a table.
  bool is_range = false;
  argosy::view view = {};                        // the view of a range
  std::optional<zarr_selection> selection = {};  // the order of the memory, of a range of chunks
};

// Finds the way. Returns a failure if there is no such dataset, if it is another one, or if it
// cannot be read, or written if `to_write`. Local.
failure find_hdf5_access(hdf5_file const& f, std::string const& dataset, array_part const& part,
                         bool to_write, hdf5_access& into);

// Returns the metadata that differs from `old`, as ranges of whole blocks of the file.
struct hdf5_change {
  std::int64_t offset;
  std::span<std::byte const> bytes;
};
std::vector<hdf5_change> hdf5_changes(std::span<std::byte const> old,
                                      std::span<std::byte const> now);

}  // namespace argosy::detail
