// Hints: given at open, changed later, and the effect of each. Invalid hints are rejected, and
// never fatal.
// Run: mpiexec -n 4 build/release/bin/hints
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace io = argosy;
using namespace io::literals;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;

  // Given as typed members, or by the names that MPI, ROMIO and IBM use.
  io::hints given{.cb_nodes = 2, .ds_write = io::tristate::disable};
  given.set("cb_buffer_size", "8m").set("romio_ds_read", "perhaps");
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "hints.dat", temporary, given);
  f.set_hints({.cb_nodes = 1});  // collective, on the open file; equal on all ranks

  std::vector<double> const u(1000, world.rank());
  f.set_view(0, io::darray<double, 1>({1000 * world.size()}, {io::distribute::cyclic(10)},
                                      {world.size()}, world.rank()));
  io::report const r = f.write_all(u);

  io::file_hints const& hints = f.get_hints();
  io::hint_state const* const wrong = hints.find("romio_ds_read");
  bool const well = r.bytes == 8000 && hints.values().cb_nodes == 1 &&
                    hints.values().cb_buffer_bytes == 8_MiB && wrong &&
                    wrong->status == io::hint_status::rejected;
  if (world.rank() == 0)
    for (io::hint_state const& h : hints.all())
      if (h.source == io::hint_source::code && h.status != io::hint_status::defaulted)
        std::cout << h.name << " = " << h.value << ", " << name_of(h.status)
                  << (h.why.empty() ? "" : ": ") << h.why << "\n";
  f.close();
  return well ? 0 : 1;
}
