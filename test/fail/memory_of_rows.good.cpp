// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <cstdint>
#include <vector>

namespace io = argosy;

auto size(std::vector<std::vector<double>> const& v) { return io::memory(v[0]).size(); }
