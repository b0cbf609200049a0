// The programs whose ranks are killed, and what must hold after each kill.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <argosy/world/mpi.hpp>

namespace argosy::kills {

struct victim {
  std::string name, what;
  // Collective. Goes through the calls once. `round` counts from 1 and goes on after a kill.
  std::function<void(mpi const& world, std::string const& directory, int round)> work;
  // Makes what the program finds at its beginning. Local, without MPI.
  std::function<void(std::string const& directory)> prepare;
  // Looks at the files after a kill, in or before the round `last`. Local, without MPI. Returns
  // what is wrong, otherwise an empty string.
  std::function<std::string(std::string const& directory, int last)> fault_of;
};

std::vector<victim> const& victims();
// The programs with Zarr arrays and with HDF5 files, which victims() has, too.
std::vector<victim> zarr_victims();
std::vector<victim> hdf5_victims();

}  // namespace argosy::kills
