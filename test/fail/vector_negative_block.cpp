// Blocks of less than no elements.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::vector: the block length is negative; give 0 or more

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() { return io::vector(constant<4>, constant<-2>, constant<8>, io::type<double>); }
