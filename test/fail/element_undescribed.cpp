// A struct without a description.
// SPDX-License-Identifier: BSD-3-Clause
// build error: no flat layout for this type: include argosy/datatype/aggregate.hpp or specialise
// link: argosy::argosy

#include <argosy/datatype.hpp>

namespace io = argosy;

struct particle {
  double x;
  int id;
};

auto form() { return io::type<particle>.form(); }
