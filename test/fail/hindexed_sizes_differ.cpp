// Two block lengths, one displacement.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::hindexed: the lists differ in size; give one block length and one

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() {
  return io::hindexed(io::list(constant<2>, constant<1>), io::list(constant<0>), io::type<int>);
}
