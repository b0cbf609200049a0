// A cube of each task in one array: written by all tasks together, or by the first one for all.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include <argosy/datatype.hpp>

#include "workloads.hpp"

namespace papers {

namespace io = argosy;

namespace {

// Returns the edge of a task's cube of doubles.
std::int64_t edge_of(setup const& s) {
  return std::max<std::int64_t>(
      8, std::llround(std::cbrt(static_cast<double>(s.what.bytes_per_task / 8 / s.scale))));
}

rates by_first(setup const& s, bool gathers) {
  std::int64_t const n = edge_of(s), each = n * n * n * 8;
  io::lab::hollow_memory const memory(static_cast<std::size_t>(each));
  return play(s, [&](player& p) {
    p.time(io::access_kind::write, each * p.world.size(), [&] {
      if (!p.is_first()) {
        if (gathers) p.world.send(memory.bytes(), 0, 1);
        return;
      }
      plain_file f(p);
      for (int rank = 0; rank < p.world.size(); ++rank) {
        if (gathers && rank > 0) {
          p.world.receive(memory.bytes(), rank, 1);
          // Data of other nodes is copied once more, out of the buffers of the adapter.
          if (rank >= s.what.per_node) p.world.compute(s.machine.fs.seconds_to_copy(each));
        }
        f.write(rank * each, memory.bytes());
      }
      f.close();
    });
    p.time(io::access_kind::read, each * p.world.size(), [&] {
      if (!p.is_first()) return;
      plain_file f(p);
      for (int rank = 0; rank < p.world.size(); ++rank) f.read(rank * each, memory.bytes());
      f.close();
    });
  });
}

}  // namespace

// Each cube has a halo of one cell in memory. Arrays are in Fortran's order. The time includes
// open, view and close.
rates tile3d(setup const& s) {
  std::int64_t const n = edge_of(s), with_halo = n + 2;
  io::lab::hollow_memory const memory(
      static_cast<std::size_t>(with_halo * with_halo * with_halo * 8));
  return play(
      s,
      [&](player& p) {
        io::process_grid const grid(p.world.size(), 3);
        auto const c = grid.coordinates(p.world.rank());
        io::subarray const in_memory({with_halo, with_halo, with_halo}, {n, n, n}, {1, 1, 1},
                                     io::type<double>, io::order::fortran);
        io::subarray const in_file({n * grid.extent(0), n * grid.extent(1), n * grid.extent(2)},
                                   {n, n, n}, {n * c[0], n * c[1], n * c[2]}, io::type<double>,
                                   io::order::fortran);
        for (io::access_kind const kind : {io::access_kind::write, io::access_kind::read})
          p.time(kind, n * n * n * 8 * p.world.size(), [&] {
            auto f = io::lab::virtual_file::open(p.world, player::path, p.amode(),
                                                 p.hints_if_unique(), p.opener());
            f.set_view(0, {io::type<double>, in_file});
            if (kind == io::access_kind::write)
              f.write_all({memory.bytes().data(), in_memory, 1}, p.policy());
            else
              f.read_all({memory.bytes().data(), in_memory, 1}, p.policy());
            f.close();
          });
      },
      always_by_turns(s));
}

rates serial_tile(setup const& s) { return by_first(s, false); }
rates gathered_tile(setup const& s) { return by_first(s, true); }

}  // namespace papers
