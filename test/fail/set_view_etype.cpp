// Three floats are not a whole number of doubles. The error must show the sizes.
// SPDX-License-Identifier: BSD-3-Clause
// build error: (8L?, 12L?, .*not divide the filetype|not divide the filetype.*fixed<3>)

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace io = argosy;

using io::constant;

void check(io::basic_file<io::self>& f) {
  f.set_view(0, {io::type<double>, io::contiguous(constant<3>, io::type<float>)});
}
