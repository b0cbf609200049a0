// A filetype that names a byte twice cannot be written.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/view/filetype.hpp>

namespace io = argosy;

using io::constant;

void check() {
  io::detail::static_require_filetype<io::detail::view_use::read_only>(
      io::type<int>, io::vector(constant<3>, constant<2>, constant<1>, io::type<int>));
}
