// A filetype that begins before the displacement of the view.
// SPDX-License-Identifier: BSD-3-Clause
// build error: (Offset = -16.*a negative displacement|a negative displacement.*-16)

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace io = argosy;

using io::c;

void check(io::basic_file<io::self>& f) {
  f.set_view(0, io::indexed_block(c<1>, io::list(c<-4>, c<0>), io::type<int>));
}
