// More copies than the member holds would be bytes of other members.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::member: the copies that are given reach beyond the member

#include <argosy/datatype.hpp>
#include <cstdint>
#include <vector>

namespace io = argosy;

struct particle {
  double x[3];
  std::int64_t id;
};
struct other {
  int id;
};
auto form() { return io::member(&particle::x, io::type<double>, io::constant<4>).form(); }
