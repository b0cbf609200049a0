// A filetype that goes back in the file.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/view/filetype.hpp>

namespace io = argosy;

using io::constant;

void check() {
  io::detail::static_require_filetype(
      io::type<int>,
      io::indexed_block(constant<1>, io::list(constant<0>, constant<4>), io::type<int>));
}
