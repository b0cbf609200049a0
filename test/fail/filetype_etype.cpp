// Three floats are not a whole number of doubles.
// SPDX-License-Identifier: BSD-3-Clause
// build error: the etype does not divide the filetype; build the filetype of whole etypes

#include <argosy/datatype.hpp>
#include <argosy/view/filetype.hpp>

namespace io = argosy;

void check() {
  io::detail::static_require_filetype(io::type<double>,
                                      io::contiguous(io::constant<3>, io::type<float>));
}
