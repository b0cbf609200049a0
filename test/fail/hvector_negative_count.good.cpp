// The twin of hvector_negative_count.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() { return io::hvector(constant<4>, constant<1>, constant<64>, io::type<double>); }
