// The twin of view_negative_displacement.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/view/view.hpp>

namespace io = argosy;

constexpr io::view v(8, io::type<int>);
