// A new array in a file of any format, which ranks write together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <argosy/format/hdf5_filter.hpp>
#include <argosy/format/zarr_codec.hpp>
#include <argosy/world/mpi.hpp>

#include "any_file.hpp"

namespace argosy::tool {

// The choices for a new array. Only Zarr has shards and codecs, and only HDF5 has filters.
struct target_options {
  any_sizes chunks = {}, shards = {};
  std::vector<zarr_codec> codecs = {};
  std::vector<hdf5_filter> filters = {};
};

// All functions are collective. The file has its name only after finish(). Until then a file or
// directory of another name has the data, and what had the name before stays.
class array_target {
 public:
  virtual ~array_target() = default;
  // Returns the order of the elements in the file.
  virtual order in() const noexcept = 0;
  // Returns the elements of a unit that should be written at once; empty if any part can be.
  virtual any_sizes unit() const = 0;
  // Writes a box whose elements lie in the order in().
  virtual void write(any_selection const& box, std::byte const* from) = 0;
  virtual void finish() = 0;
  // Removes what was written.
  virtual void give_up() noexcept = 0;
};

// Begins a new array of the shape and the type of `of`, in the byte order of this machine.
// Collective.
std::unique_ptr<array_target> new_target(mpi const& world, array_name const& name,
                                         array_facts const& of, target_options const& how);

// Throws on all ranks unless the name may be used: nothing has it, or `force` is given and nothing
// but the array would be lost. Collective.
void require_free(mpi const& world, array_name const& name, array_name const& from, bool force);

// Returns what the target has no place for, as words for a list.
std::vector<std::string> lost_in(array_format target, array_facts const& of);

}  // namespace argosy::tool
