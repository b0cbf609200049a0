// A count that the compiler does not know.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::explain: not all numbers of filetype and data are in their types

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;

using io::constant;

auto plan() {
  return io::explain<io::sieving{}>(
      io::vector(constant<4>, constant<2>, constant<8>, io::type<double>),
      io::contiguous(4, io::type<double>));
}
