// Two blocks of 2 do not cover 64 indices; the other size is known at run time.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::darray: block.k. times the processes does not cover a size

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;
using namespace io::distribute;

auto part(int n, int rank) {
  return io::darray(io::list(constant<64>, n), each(block(constant<2>), block),
                    io::list(constant<2>, constant<2>), rank, io::type<int>);
}
