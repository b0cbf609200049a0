// The twin of member_negative_count.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() { return io::record(io::member(constant<8>, io::type<int>, constant<1>)); }
