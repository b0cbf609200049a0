// Attributes of arrays, carried between formats.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <argosy/format/hdf5_attribute.hpp>

#include "any_file.hpp"

namespace argosy::tool {

// The attributes as the target has them, and the names of those that it cannot have.
struct carried {
  std::string zarr = {};
  std::vector<hdf5_attribute> hdf5 = {};
  std::vector<std::string> lost = {};
};
carried attributes_for(array_format target, array_facts const& of);
// Returns the attributes as a JSON object, as far as JSON has them; empty if there are none.
std::string zarr_attributes(array_facts const& of);

}  // namespace argosy::tool
