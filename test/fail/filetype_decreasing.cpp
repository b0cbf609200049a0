// A filetype that goes back in the file.
// SPDX-License-Identifier: BSD-3-Clause
// build error: the displacements of the filetype decrease; list its parts in the order of the file

#include <argosy/datatype.hpp>
#include <argosy/view/filetype.hpp>

namespace io = argosy;

using io::c;

void check() {
  io::detail::static_require_filetype(io::type<int>,
                                      io::indexed_block(c<1>, io::list(c<4>, c<0>), io::type<int>));
}
