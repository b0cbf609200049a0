// The twin of member_of_struct_of_other_numbers.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

struct point {
  float x, y, z;
};
io::members<&point::x, &point::y, &point::z> describe(point const&);

struct cell {
  point where;
};
auto type() { return io::record(io::member(&cell::where, io::type<float>, 3)); }
