// The lattice of lattice.hpp on virtual ranks: ROMIO's way, the user's transposition, and argosy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lattice.hpp"

namespace lattice {

struct virtual_run {
  int ranks = 64, per_node = 8, servers = 64;
  numbers local{4, 4, 4, 8};
};
void print_head();
void run(virtual_run const& o);

}  // namespace lattice
