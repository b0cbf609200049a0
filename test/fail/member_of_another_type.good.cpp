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
auto form() { return io::record(io::member(&particle::id, io::type<std::int64_t>)).form(); }
