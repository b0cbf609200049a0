// A buffer of data that has already been destroyed.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: this temporary dies before its data is used; give it a name

#include <argosy/datatype.hpp>
#include <vector>

namespace io = argosy;

auto size() { return io::memory(std::vector<double>(8)).size(); }
