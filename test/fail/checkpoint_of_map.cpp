// The elements of a map lie anywhere. Its keys and values are saved instead.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::checkpoint: the elements of a map or a set do not lie one behind the other
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/world/self.hpp>

#include <map>
#include <utility>
#include <vector>

namespace io = argosy;

void name(io::basic_checkpoint<io::self>& state, std::map<int, double>& value) {
  state.add_value("value", value);
}
