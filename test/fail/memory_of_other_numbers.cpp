// A datatype of floats for an address of doubles.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: the address is one of other numbers than the datatype is made of

#include <argosy/datatype.hpp>

namespace io = argosy;

auto buffer(double* u) { return io::memory(u, io::contiguous(4, io::type<float>)); }
