// A datatype of another type for a member would read the wrong number of bytes.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::member: the member is of another type than the datatype that is given for it

#include <argosy/datatype.hpp>

namespace io = argosy;

struct particle {
  double x[3];
  std::int64_t id;
};
struct other {
  int id;
};
auto form() { return io::record(io::member(&particle::id, io::type<float>)).form(); }
