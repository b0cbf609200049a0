// The content of an HDF5 file, without the data: groups, datasets and attributes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/format/array_part.hpp>
#include <argosy/format/dtype.hpp>
#include <argosy/format/hdf5_attribute.hpp>
#include <argosy/format/hdf5_filter.hpp>

namespace argosy {

// The choices for a new dataset. All may be left out. A regular value.
//
//   io::hdf5_options how{.chunks = {64, 64}, .filters = {io::hdf5_filter::deflate()},
//                        .dimension_names = {"y", "x"}, .attributes = {{"units", "K"}}};
struct hdf5_options {
  // The elements of a chunk along each dimension. If left out, a dataset without filters is one
  // contiguous range of the file, and chunks of other datasets have about 1 MiB.
  std::vector<std::int64_t> chunks = {};
  std::vector<hdf5_filter> filters = {};  // the steps of the encoding of a chunk, in their order
  // The most elements along the first dimension, to which basic_hdf5::grow can enlarge it; 0: it
  // cannot grow. The file has an entry for each chunk of this many elements.
  std::int64_t most = 0;
  // One for each dimension, or none. They are dimension scales, by which netCDF-4 and xarray name
  // dimensions. A dataset of one dimension with the name of a dimension has its coordinates.
  std::vector<std::string> dimension_names = {};
  std::vector<hdf5_attribute> attributes = {};

  friend bool operator==(hdf5_options const&, hdf5_options const&) = default;
};

// A dataset: an array with a name. A regular value.
struct hdf5_dataset {
  std::string name = {};  // with the groups that it is in: "fields/u"
  std::vector<std::int64_t> shape = {};
  extend::dtype type = {};
  hdf5_options options = {};

  friend bool operator==(hdf5_dataset const&, hdf5_dataset const&) = default;
};

// A group of datasets. A regular value.
struct hdf5_group {
  std::string name = {};  // empty: the root, which every file has
  std::vector<hdf5_attribute> attributes = {};

  friend bool operator==(hdf5_group const&, hdf5_group const&) = default;
};

// The content of a file. A regular value. All its functions are local.
//
//   io::hdf5_content c;
//   c.add("fields/u", tile, {.attributes = {{"units", "K"}}});
//   c.add_group("", {{"title", "a run"}});
struct hdf5_content {
  // Adds a dataset with the shape and the type of an array, of which `whole` is any part.
  hdf5_content& add(std::string name, array_part const& whole, hdf5_options how = {});
  // Adds a group with attributes, or attributes to a group. The groups of a dataset need not be
  // added.
  hdf5_content& add_group(std::string name, std::vector<hdf5_attribute> attributes = {});

  // Returns the dataset of this name, or null if there is none.
  hdf5_dataset const* find(std::string_view name) const;

  std::vector<hdf5_group> groups = {};
  std::vector<hdf5_dataset> datasets = {};

  friend bool operator==(hdf5_content const&, hdf5_content const&) = default;
};

// Returns a line for each dataset: "fields/u '<f8' (30, 20), chunks (10, 20), deflate". Local.
std::string to_string(hdf5_content const& c);

}  // namespace argosy
