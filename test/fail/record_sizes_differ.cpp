// Two types, but one displacement.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::record: the lists differ in size; give one length and one displacement

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() {
  return io::record(io::list(constant<1>, constant<2>), io::list(constant<0>), io::type<int>,
                    io::type<double>);
}
