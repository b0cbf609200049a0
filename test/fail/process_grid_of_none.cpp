// A grid of no process, as a constant.
// SPDX-License-Identifier: BSD-3-Clause
// build error: (the number of processes is|must be initialized by a constant expression)

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

constexpr int ranks = io::process_grid(0, 2).size();
