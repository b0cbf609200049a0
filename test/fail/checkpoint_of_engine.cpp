// The state of a random-number engine is private. Its text is saved instead.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::checkpoint: the state of a random-number engine is its own; save its text
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/world/self.hpp>

#include <random>
#include <string>

namespace io = argosy;

void name(io::basic_checkpoint<io::self>& state, std::mt19937_64& value) {
  state.add_value("value", value);
}
