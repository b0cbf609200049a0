// A member of less than no items.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::member: the count is negative; give 0 or more

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() { return io::record(io::member(constant<8>, io::type<int>, constant<-1>)); }
