// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/world/self.hpp>

#include <random>
#include <string>

namespace io = argosy;

void name(io::basic_checkpoint<io::self>& state, std::string& value) {
  state.add_value("value", value);
}
