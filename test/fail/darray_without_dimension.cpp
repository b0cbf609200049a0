// A distributed array without dimensions.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::darray: the array has no dimension; give at least one size

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto part(int rank) {
  return io::darray(io::list(), io::distribute::block, io::list(), rank, io::type<int>);
}
