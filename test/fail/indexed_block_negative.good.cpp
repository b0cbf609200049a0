// The twin of indexed_block_negative.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() {
  return io::indexed_block(constant<3>, io::list(constant<0>, constant<9>), io::type<int>);
}
