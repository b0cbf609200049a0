// Blocks of no index.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::distribute: the block size is not positive; give 1 or more

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;
using namespace io::distribute;

auto rule() { return cyclic(constant<0>); }
