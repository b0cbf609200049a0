// The twin of record_sizes_differ.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() {
  return io::record(io::list(constant<1>, constant<2>), io::list(constant<0>, constant<8>),
                    io::type<int>, io::type<double>);
}
