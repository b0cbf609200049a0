// A pointer in a struct means nothing to another process.
// SPDX-License-Identifier: BSD-3-Clause
// build error: a pointer means nothing in a file or on another rank

#include <argosy/datatype.hpp>

namespace io = argosy;

struct chain {
  double value;
  chain* next;
};

template <>
struct argosy::describe<chain> : argosy::members<&chain::value, &chain::next> {};
auto form() { return io::type<chain>.form(); }
