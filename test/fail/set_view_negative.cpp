// A filetype that begins before the displacement of the view.
// SPDX-License-Identifier: BSD-3-Clause
// build error: (-16.*a negative displacement|a negative displacement.*(-16|fixed<-4>))

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace io = argosy;

using io::constant;

void check(io::basic_file<io::self>& f) {
  f.set_view(0, io::indexed_block(constant<1>, io::list(constant<-4>, constant<0>), io::type<int>));
}
