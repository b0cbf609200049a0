// The bytes of a vector of vectors are pointers.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: the rows of this container lie anywhere in memory

#include <argosy/datatype.hpp>
#include <cstdint>
#include <vector>

namespace io = argosy;

auto size(std::vector<std::vector<double>> const& v) { return io::memory(v).size(); }
