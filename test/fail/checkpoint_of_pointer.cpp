// An address means nothing to another run. The data that lies there is saved instead.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::checkpoint: a pointer means nothing to another run of the program
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/world/self.hpp>

#include <memory>

namespace io = argosy;

void name(io::basic_checkpoint<io::self>& state, std::unique_ptr<double>& value) {
  state.add_value("value", value);
}
