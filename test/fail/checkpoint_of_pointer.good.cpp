// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/basic_checkpoint.hpp>
#include <argosy/world/self.hpp>

#include <memory>

namespace io = argosy;

void name(io::basic_checkpoint<io::self>& state, double& value) { state.add_value("value", value); }
