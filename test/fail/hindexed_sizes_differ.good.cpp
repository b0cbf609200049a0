// The twin of hindexed_sizes_differ.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() {
  return io::hindexed(io::list(constant<2>, constant<1>), io::list(constant<0>, constant<64>),
                      io::type<int>);
}
