// A block length below 0 among others.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::hindexed: a block length is negative; give 0 or more

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() {
  return io::hindexed(io::list(constant<2>, constant<-1>), io::list(constant<0>, constant<64>),
                      io::type<int>);
}
