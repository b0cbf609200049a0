// The lattice of lattice.hpp on virtual ranks: ROMIO's way, the user's transposition, and argosy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/lab/cluster/contents.hpp>

#include "lattice.hpp"

namespace lattice {

struct virtual_run {
  int ranks = 64, per_node = 8, servers = 64, calls = 2;
  numbers local{4, 4, 4, 8};
  argosy::lab::contents contents = argosy::lab::contents::real;
  std::string way;  // only this one: romio, transposition or argosy; empty: all
};
void print_head();
// Prints a row.
void run(virtual_run const& o);

}  // namespace lattice
