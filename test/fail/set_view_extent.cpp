// An extent that is no multiple of the elements, so that offsets count none.
// SPDX-License-Identifier: BSD-3-Clause
// build error: the etype does not divide the filetype

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace io = argosy;

using io::constant;

void check(io::basic_file<io::self>& f) {
  f.set_view(0,
             io::resized(io::contiguous(constant<2>, io::type<double>), constant<0>, constant<20>));
}
