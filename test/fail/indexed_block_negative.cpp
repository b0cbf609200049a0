// A negative block length for all blocks.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::indexed_block: the block length is negative; give 0 or more

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() {
  return io::indexed_block(constant<-3>, io::list(constant<0>, constant<9>), io::type<int>);
}
