// A view whose filetype goes back in the file.
// SPDX-License-Identifier: BSD-3-Clause
// build error: the displacements of the filetype decrease

#include <argosy/datatype.hpp>
#include <argosy/view/view.hpp>

namespace io = argosy;

using io::constant;

io::view const v(0,
                 io::indexed_block(constant<1>, io::list(constant<4>, constant<0>), io::type<int>));
