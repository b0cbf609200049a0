// SPDX-License-Identifier: BSD-3-Clause
#include "lists.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "shapes.hpp"

namespace patterns {
namespace {

// Interleaves pieces of all ranks: a row of the file has one of each rank.
dealt interleaved(std::string name, int ranks, std::int64_t piece, std::int64_t file) {
  return {std::move(name), ranks,        piece, std::max<std::int64_t>(1, file / (piece * ranks)),
          piece,           piece * ranks};
}

// Returns cells of equal edges that fill a file of about that many bytes, with as many cells as the
// grid has.
cells cubes(cells c, std::int64_t file) {
  auto const items =
      static_cast<double>(file / (c.doubles * static_cast<std::int64_t>(sizeof(double))));
  auto const edge = static_cast<std::int64_t>(std::cbrt(items));
  for (std::size_t d = 0; d < 3; ++d) c.part[d] = std::max<std::int64_t>(1, edge / c.grid[d]);
  c.whole = times(c.grid, c.part);
  return c;
}

// Returns the same rows, but only as many as the limit on calls allows.
cells with_few_pieces(cells c, std::int64_t calls) {
  std::int64_t const cells_of_rank = c.owners == ownership::multipartition ? c.grid[0] : 1;
  c.part[1] = std::clamp<std::int64_t>(calls / cells_of_rank, 1, c.part[1]);
  c.part[0] = std::clamp<std::int64_t>(calls / (cells_of_rank * c.part[1]), 1, c.part[0]);
  c.whole = times(c.grid, c.part);
  return c;
}

bool call_for_each_piece(level how) {
  return how == level::pieces || how == level::pieces_together;
}

}  // namespace

std::vector<std::unique_ptr<pattern>> independent_patterns(int ranks, limits const& most) {
  std::vector<std::unique_ptr<pattern>> all;
  for (std::int64_t piece : {8, 64, 512, 4096, 65536})
    for (double density : {0.5, 0.1, 0.01})
      if (piece <= most.bytes) {
        auto const slot = static_cast<std::int64_t>(static_cast<double>(piece) / density);
        std::int64_t const count =
            std::min({most.bytes / piece, most.pieces, most.span / (slot * ranks)});
        all.push_back(
            make(dealt{"vector", ranks, piece, std::max<std::int64_t>(1, count), slot, slot * ranks,
                       static_cast<double>(piece) / static_cast<double>(slot)}));
      }
  std::int64_t edge = 2;
  while ((edge + 2) * (edge + 2) * (edge + 2) * 8 <= most.bytes) edge += 2;
  for (int halo : {0, 1}) {
    cells c{halo ? "tile3d_halo" : "tile3d", ranks, {edge, edge, edge}, block_grid(ranks)};
    c.halo = halo;
    // One more cell in each dimension than there are ranks, so that even a single rank has gaps.
    c.whole = times({c.grid[0] + 1, c.grid[1] + 1, c.grid[2] + 1}, c.part);
    all.push_back(make(c));
  }
  return all;
}

std::vector<collective_case> collective_cases(int ranks, sizes const& s) {
  std::vector<collective_case> all;
  auto const add = [&](auto const& shape, level how) { all.push_back({make(shape), how}); };
  auto const add_cells = [&](cells const& c, level how) {
    add(call_for_each_piece(how) ? with_few_pieces(c, s.calls) : c, how);
  };

  cells const dist3d = cubes({"dist3d", ranks, {}, block_grid(ranks)}, s.file);
  for (level how : {level::pieces, level::pieces_together, level::independent, level::collective})
    add_cells(dist3d, how);

  cells btio{"btio", ranks, {}, multipartition_grid(ranks)};
  btio.doubles = 5;
  btio.owners = ownership::multipartition;
  btio = cubes(btio, s.file);
  for (level how : {level::pieces, level::independent, level::collective}) add_cells(btio, how);

  for (level how : {level::independent, level::collective}) {
    add(shuffled{"unstruc", ranks, 64, std::max<std::int64_t>(1, s.file / (64 * ranks))}, how);
    add(shuffled{"discontig", ranks, 1024, std::max<std::int64_t>(1, s.file / (1024 * ranks))},
        how);
  }

  cells hpcx3d{"hpcx3d", ranks, {}, block_grid(ranks)};
  hpcx3d.halo = 2;
  hpcx3d.order = MPI_ORDER_FORTRAN;
  add(cubes(hpcx3d, s.file), level::collective);

  for (std::int64_t piece : {8, 64, 512, 8192})
    add(interleaved("tiled/" + std::to_string(piece), ranks, piece, s.file), level::collective);

  for (level how : {level::pieces, level::pieces_together})
    add(interleaved("contig", ranks, s.file / ranks, s.file), how);
  for (std::int64_t transfer : s.transfers) {
    if (transfer * ranks > s.file) continue;
    dealt const strided =
        interleaved("strided/" + std::to_string(transfer), ranks, transfer, s.file);
    dealt segmented = strided;
    segmented.name = "segmented/" + std::to_string(transfer);
    segmented.rank_stride = segmented.count * transfer;
    segmented.stride = transfer;
    for (level how : {level::pieces, level::pieces_together}) {
      add(segmented, how);
      add(strided, how);
    }
    add(strided, level::collective);
  }

  dealt const latency{"latency", ranks, 8, 2, 8, 8 * ranks};
  add(latency, level::collective);
  return all;
}

}  // namespace patterns
