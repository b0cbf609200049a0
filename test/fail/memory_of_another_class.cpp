// A datatype of members of another class than the objects at the address.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: the members are of another class than what lies at the address

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
auto buffer(std::vector<particle>& p) { return io::memory(p.data(), io::members<&other::id>{}, 3); }
