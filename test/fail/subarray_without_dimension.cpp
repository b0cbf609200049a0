// A box of an array without dimensions.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::subarray: the array has no dimension; give at least one size

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

auto type() { return io::subarray(io::list(), io::list(), io::list(), io::type<int>); }
