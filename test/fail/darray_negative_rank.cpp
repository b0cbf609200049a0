// A rank below 0.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::darray: the rank is negative; ranks count from 0

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;
using namespace io::distribute;

auto part(int n) { return io::darray({n, n}, block, io::list(2, 2), constant<-1>, io::type<int>); }
