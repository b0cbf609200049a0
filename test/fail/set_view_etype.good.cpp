// The twin of set_view_etype.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace io = argosy;

using io::constant;

void check(io::basic_file<io::self>& f) {
  f.set_view(0, {io::type<float>, io::contiguous(constant<3>, io::type<float>)});
}

// A filetype that names bytes twice is valid for reading. The mode of the file is known only at run
// time, so this must compile.
void overlapping(io::basic_file<io::self>& f) {
  f.set_view(0, io::vector(constant<3>, constant<2>, constant<1>, io::type<int>));
}
