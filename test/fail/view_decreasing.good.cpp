// The twin of view_decreasing.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/view/view.hpp>

namespace io = argosy;

using io::constant;

io::view const v(0,
                 io::indexed_block(constant<1>, io::list(constant<0>, constant<4>), io::type<int>));
