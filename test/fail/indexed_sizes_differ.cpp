// Two block lengths, three displacements.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::indexed: the lists differ in size; give one block length and one

#include <argosy/datatype.hpp>

namespace io = argosy;

auto blocks() { return io::indexed({1, 2}, {0, 4, 8}, io::type<int>); }
