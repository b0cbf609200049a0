// A member that is named twice would be written twice, and read into twice.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::members: a member is named twice

#include <argosy/datatype.hpp>

namespace io = argosy;

struct particle {
  double x[3];
  std::int64_t id;
};
struct other {
  int id;
};
auto form() { return io::members<&particle::id, &particle::x, &particle::id>::form(); }
