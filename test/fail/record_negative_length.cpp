// A record with less than no items.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::record: a length is negative; give 0 or more

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() {
  return io::record(io::list(constant<1>, constant<-2>), io::list(constant<0>, constant<8>),
                    io::type<int>, io::type<double>);
}
