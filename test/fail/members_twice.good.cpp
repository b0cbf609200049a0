// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>

namespace io = argosy;

struct particle {
  double x[3];
  std::int64_t id;
};
struct other {
  int id;
};
auto form() { return io::members<&particle::id, &particle::x>::form(); }
