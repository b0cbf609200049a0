// A strided type of less than no blocks.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::hvector: the count is negative; give 0 or more

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() { return io::hvector(constant<-4>, constant<1>, constant<64>, io::type<double>); }
