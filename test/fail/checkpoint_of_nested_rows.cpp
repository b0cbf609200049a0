// Lists of lists can be saved, deeper nesting cannot.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::checkpoint: what is the same on all ranks is a number, a described struct
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/world/self.hpp>

#include <vector>

namespace io = argosy;

void name(io::basic_checkpoint<io::self>& state,
          std::vector<std::vector<std::vector<double>>>& value) {
  state.add_value("value", value);
}
