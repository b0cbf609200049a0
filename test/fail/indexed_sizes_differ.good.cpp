// Two block lengths, three displacements.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

auto blocks() { return io::indexed({1, 2, 1}, {0, 4, 8}, io::type<int>); }
