// The twin of darray_negative_rank.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;
using namespace io::distribute;

auto part(int n) { return io::darray({n, n}, block, io::list(2, 2), constant<1>, io::type<int>); }
