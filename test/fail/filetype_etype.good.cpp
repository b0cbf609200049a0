// Three floats are not a whole number of doubles.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/view/filetype.hpp>

namespace io = argosy;

void check() {
  io::detail::static_require_filetype(io::type<float>,
                                      io::contiguous(io::constant<3>, io::type<float>));
}
