// The twin of vector_negative_block.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() { return io::vector(constant<4>, constant<2>, constant<8>, io::type<double>); }
