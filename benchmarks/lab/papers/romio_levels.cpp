// The programs that were used to compare ROMIO's levels of access: an array in blocks, BTIO's
// cells, and points in any order.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
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
rates by_level(setup const& s, std::vector<io::bench::share> const& shares) {
  bool const together = s.what.level == 3;
  // Merges of local calls need locks, because other tasks on other nodes may merge, too.
  io::hints const hints = s.what.level == 2 && s.machine.disk.has_locks
                              ? io::hints{.ds_write = io::tristate::enable}
                              : io::hints();
  std::int64_t bytes = 0, most = 1;
  for (io::bench::share const& one : shares) {
    bytes += one.bytes;
    most = std::max(most, one.bytes);
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

std::vector<io::bench::share> shares_of(std::unique_ptr<io::bench::pattern> const& of_tasks) {
  std::vector<io::bench::share> all;
  for (int rank = 0; rank < of_tasks->ranks(); ++rank) all.push_back(of_tasks->of(rank));
  return all;
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
  return by_level(s, shares_of(io::bench::make_pattern(c)));
}

// Five doubles at each point, and cells of all tasks in each layer, moved along the diagonal from
// layer to layer. If q does not divide the edge, the first cells are longer by a point.
std::vector<io::bench::share> btio_shares(std::int64_t q, std::int64_t n) {
  auto const from = [&](std::int64_t k) { return k * (n / q) + std::min(k, n % q); };
  std::vector<io::bench::share> all;
  for (std::int64_t rank = 0; rank < q * q; ++rank) {
    std::vector<io::layout> cells;
    io::bench::share mine;
    for (std::int64_t z = 0; z < q; ++z) {
      std::int64_t const y = (rank / q + (q - 1) * z) % q, x = (rank % q + z) % q;
      std::vector<std::int64_t> const whole = {n, n, n}, start = {from(z), from(y), from(x)},
                                      part = {from(z + 1) - from(z), from(y + 1) - from(y),
                                              from(x + 1) - from(x)};
      cells.push_back(io::flatten(
          io::subarray(whole, part, start, io::contiguous(5, io::type<double>), io::order::c)));
      mine.bytes += part[0] * part[1] * part[2] * 40;
    }
    mine.view = io::concat(std::span<io::layout const>(cells));
    all.push_back(std::move(mine));
  }
  return all;
}

rates btio(setup const& s) {
  std::int64_t const q = std::llround(std::sqrt(static_cast<double>(s.what.tasks())));
  if (q * q != s.what.tasks())
    throw std::invalid_argument(s.what.key + ": BTIO's tasks are a square");
  return by_level(s, btio_shares(q, std::max(q, edge_of(s, 40))));
}

rates unstruc(setup const& s) {
  constexpr std::int64_t point = 64;
  return by_level(
      s, shares_of(io::bench::make_pattern(io::bench::shuffled{.name = "unstruc",
                                                               .ranks = s.what.tasks(),
                                                               .piece = point,
                                                               .count = s.bytes(point) / point})));
}

}  // namespace papers
