// The twin of process_grid_of_none.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>

namespace io = argosy;

using io::constant;

constexpr int ranks = io::process_grid(6, 2).size();
