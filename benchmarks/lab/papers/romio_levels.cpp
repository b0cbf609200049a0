// The programs that were used to compare ROMIO's levels of access: an array in blocks, BTIO's
// cells, and points in any order.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include <argosy/benchmark/patterns/cells.hpp>
#include <argosy/benchmark/patterns/shuffled.hpp>
#include <argosy/datatype.hpp>

#include "workloads.hpp"

namespace papers {

namespace io = argosy;

namespace {

// Each task has its share of the pattern, densely in memory. At level 3 it makes one collective
// call, otherwise a local one. The software's policy decides how. The time includes open, view and
// close.
rates by_level(setup const& s, io::bench::pattern const& of_tasks) {
  bool const together = s.what.level == 3;
  // Merges of local calls need locks, because other tasks on other nodes may merge, too.
  io::hints const hints = s.what.level == 2 && s.machine.disk.has_locks
                              ? io::hints{.ds_write = io::tristate::enable}
                              : io::hints();
  std::vector<io::bench::share> shares;
  std::int64_t bytes = 0, most = 1;
  for (int rank = 0; rank < of_tasks.ranks(); ++rank) {
    shares.push_back(of_tasks.of(rank));
    bytes += shares.back().bytes;
    most = std::max(most, shares.back().bytes);
  }
  io::lab::hollow_memory const memory(static_cast<std::size_t>(most));
  return play(s, [&](player& p) {
    io::bench::share const& mine = shares[static_cast<std::size_t>(p.world.rank())];
    std::span<std::byte> const data = memory.bytes().first(static_cast<std::size_t>(mine.bytes));
    for (io::access_kind const kind : {io::access_kind::write, io::access_kind::read})
      p.time(kind, bytes, [&] {
        auto f = io::lab::virtual_file::open(p.world, player::path, p.amode(), hints, p.opener());
        f.set_view(0, {io::bytes(1), mine.view});
        if (kind == io::access_kind::write)
          together ? f.write_at_all(0, data, p.policy()) : f.write_at(0, data, p.policy());
        else
          together ? f.read_at_all(0, data, p.policy()) : f.read_at(0, data, p.policy());
        f.close();
      });
  });
}

std::int64_t edge_of(setup const& s, std::int64_t item_bytes) {
  std::int64_t const items = s.bytes(1) * s.what.tasks() / item_bytes;
  return std::llround(std::cbrt(static_cast<double>(items)));
}

}  // namespace

// Integers of 4 bytes, taken in pairs in the fastest dimension.
rates dist3d(setup const& s) {
  io::process_grid const grid(s.what.tasks(), 3);
  io::bench::cells c{.name = "dist3d", .ranks = s.what.tasks()};
  c.grid = {grid.extent(2), grid.extent(1), grid.extent(0)};
  std::int64_t const n = edge_of(s, 4);
  c.part = {std::max<std::int64_t>(1, n / c.grid[0]), std::max<std::int64_t>(1, n / c.grid[1]),
            std::max<std::int64_t>(1, n / 2 / c.grid[2])};
  c.whole = io::bench::detail::times(c.grid, c.part);
  return by_level(s, *io::bench::make_pattern(c));
}

// Five doubles at each point. If cells do not divide the array, its last points belong to no cell.
rates btio(setup const& s) {
  std::int64_t const q = std::llround(std::sqrt(static_cast<double>(s.what.tasks())));
  if (q * q != s.what.tasks())
    throw std::invalid_argument(s.what.key + ": BTIO's tasks are a square");
  io::bench::cells c{.name = "btio", .ranks = s.what.tasks()};
  std::int64_t const n = std::max(q, edge_of(s, 40));
  c.grid = {q, q, q};
  c.part = {n / q, n / q, n / q};
  c.whole = {n, n, n};
  c.doubles = 5;
  c.owners = io::bench::ownership::multipartition;
  return by_level(s, *io::bench::make_pattern(c));
}

rates unstruc(setup const& s) {
  constexpr std::int64_t point = 64;
  return by_level(s,
                  *io::bench::make_pattern(io::bench::shuffled{.name = "unstruc",
                                                               .ranks = s.what.tasks(),
                                                               .piece = point,
                                                               .count = s.bytes(point) / point}));
}

}  // namespace papers
