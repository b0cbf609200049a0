// Copies of the filetype would go back in the file.
// SPDX-License-Identifier: BSD-3-Clause
// build error: the filetype has a negative displacement or extent

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace io = argosy;

using io::constant;

void check(io::basic_file<io::self>& f) {
  f.set_view(0, {io::type<int>, io::resized(io::type<int>, constant<0>, constant<-8>)});
}
