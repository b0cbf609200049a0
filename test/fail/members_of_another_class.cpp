// Members of two classes in one datatype.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::members: this is a member of another class

#include <argosy/datatype.hpp>

namespace io = argosy;

struct particle {
  double x[3];
  std::int64_t id;
};
struct other {
  int id;
};
auto form() { return io::members<&particle::id, &other::id>::form(); }
