// The bits of a vector<bool> have no addresses.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: the elements of this container do not lie one behind the other

#include <argosy/datatype.hpp>
#include <cstdint>
#include <vector>

namespace io = argosy;

auto size(std::vector<bool> const& v) { return io::memory(v).size(); }
