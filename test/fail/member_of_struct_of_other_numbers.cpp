// A member that is a struct of floats, described as doubles.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::member: the member is of another type than the datatype

#include <argosy/datatype.hpp>

namespace io = argosy;

struct point {
  float x, y, z;
};
io::members<&point::x, &point::y, &point::z> describe(point const&);

struct cell {
  point where;
};
auto type() { return io::record(io::member(&cell::where, io::type<double>)); }
