// A filetype that goes back in the file.
// SPDX-License-Identifier: BSD-3-Clause
// build error: the displacements of the filetype decrease; list its parts in the order of the file

#include <argosy/datatype.hpp>
#include <argosy/view/filetype.hpp>

namespace io = argosy;

using io::constant;

void check() {
  io::detail::static_require_filetype(
      io::type<int>,
      io::indexed_block(constant<1>, io::list(constant<4>, constant<0>), io::type<int>));
}
