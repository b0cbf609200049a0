// The plan before the call: what a write would do to the file, alone and together, before any data
// is moved.
// Run: mpiexec -n 4 build/release/bin/plan
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <iostream>
#include <vector>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "plan.dat", temporary);
  // every size-th double
  f.set_view(8 * world.rank(), io::resized(io::type<double>, 0, 8 * world.size()));
  std::vector<double> const u(5000, world.rank());

  // local
  io::plan const alone = f.explain(io::access_kind::write, u, io::independent());
  // collective
  io::collective_plan const together = f.explain_all(io::access_kind::write, u, io::two_phase());
  bool well = f.size() == 0;  // the file is unchanged
  world.barrier();
  io::report const r = f.write_all(u, io::two_phase());
  well = well && r.policy == "two_phase" && together.together && r.write_calls < alone.file_calls();
  f.close();
  if (world.rank() == 0)
    std::cout << "alone: " << alone.file_calls() << " calls of the file by this rank\n"
              << "together: " << io::to_string(together) << "done: " << io::to_string(r) << "\n";
  return well ? 0 : 1;
}
