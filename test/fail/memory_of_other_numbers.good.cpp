// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>

namespace io = argosy;

auto buffer(double* u) { return io::memory(u, io::contiguous(4, io::type<double>)); }
