// A struct without a description.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype/aggregate.hpp>

namespace io = argosy;

struct particle {
  double x;
  int id;
};

auto form() { return io::type<particle>.form(); }
