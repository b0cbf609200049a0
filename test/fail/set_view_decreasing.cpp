// A filetype whose second piece lies before its first.
// SPDX-License-Identifier: BSD-3-Clause
// build error: (16L?, 0L?>.*the filetype decrease|the filetype decrease.*fixed<4>)

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace io = argosy;

using io::constant;

void check(io::basic_file<io::self>& f) {
  f.set_view(0, io::indexed_block(constant<1>, io::list(constant<4>, constant<0>), io::type<int>));
}
