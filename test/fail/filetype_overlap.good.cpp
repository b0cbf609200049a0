// A filetype that names a byte twice cannot be written.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/view/filetype.hpp>

namespace io = argosy;

using io::c;

void check() {
  io::detail::static_require_filetype<io::detail::view_use::read_only>(
      io::type<int>, io::vector(c<3>, c<2>, c<1>, io::type<int>));
}
