// The bits of a vector<bool> have no addresses.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: the elements of this container do not lie one behind the other
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/world/self.hpp>

#include <vector>

namespace io = argosy;

void name(io::basic_checkpoint<io::self>& state, std::vector<bool>& value) {
  state.add_value("value", value);
}
