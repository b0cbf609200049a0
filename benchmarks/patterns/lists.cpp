// SPDX-License-Identifier: BSD-3-Clause
#include "lists.hpp"

#include <algorithm>
#include <string>

#include <argosy/benchmark/family.hpp>

namespace patterns {
namespace {

using namespace argosy::bench;
using namespace argosy::bench::detail;

// Returns the same rows, but only as many as the limit on calls allows.
cells with_few_pieces(cells c, std::int64_t calls) {
  std::int64_t const cells_of_rank = c.owners == ownership::multipartition ? c.grid[0] : 1;
  c.part[1] = std::clamp<std::int64_t>(calls / cells_of_rank, 1, c.part[1]);
  c.part[0] = std::clamp<std::int64_t>(calls / (cells_of_rank * c.part[1]), 1, c.part[0]);
  c.whole = times(c.grid, c.part);
  return c;
}

// Returns a lattice whose file has about that many bytes.
lattice lattice_of(int ranks, std::int64_t file) {
  lattice l{"lattice4d", ranks};
  for (std::size_t d = 0;; d = (d + 1) % l.sites.size()) {
    std::int64_t bytes = ranks * l.site_bytes;
    for (std::int64_t n : l.sites) bytes *= n;
    if (2 * bytes > file) return l;
    l.sites[d] *= 2;
  }
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
        all.push_back(make_pattern(dealt{"vector", ranks, piece, std::max<std::int64_t>(1, count),
                                         slot, slot * ranks,
                                         static_cast<double>(piece) / static_cast<double>(slot)}));
      }
  std::int64_t edge = 2;
  while ((edge + 2) * (edge + 2) * (edge + 2) * 8 <= most.bytes) edge += 2;
  for (int halo : {0, 1}) {
    cells c{halo ? "tile3d_halo" : "tile3d", ranks, {edge, edge, edge}, block_grid(ranks)};
    c.halo = halo;
    // One more cell in each dimension than there are ranks, so that even a single rank has gaps.
    c.whole = times({c.grid[0] + 1, c.grid[1] + 1, c.grid[2] + 1}, c.part);
    all.push_back(make_pattern(c));
  }
  return all;
}

std::vector<collective_case> collective_cases(int ranks, sizes const& s) {
  std::vector<collective_case> all;
  auto const add = [&](auto const& shape, level how) { all.push_back({make_pattern(shape), how}); };
  auto const add_cells = [&](cells const& c, level how) {
    add(call_for_each_piece(how) ? with_few_pieces(c, s.calls) : c, how);
  };

  cells const blocks = dist3d(ranks, s.file);
  for (level how : {level::pieces, level::pieces_together, level::independent, level::collective})
    add_cells(blocks, how);

  cells const diagonals = btio(ranks, s.file);
  for (level how : {level::pieces, level::independent, level::collective})
    add_cells(diagonals, how);

  for (level how : {level::independent, level::collective}) {
    add(slots("unstruc", ranks, s.file, 64), how);
    add(slots("discontig", ranks, s.file, 1024), how);
  }

  add(hpcx3d(ranks, s.file), level::collective);

  add(slots("shuffled/8192", ranks, s.file, 8192), level::collective);
  add(interleaved("records/24", ranks, 24, s.file), level::collective);
  add(interleaved("dealt/47008", ranks, 47008, s.file), level::collective);
  add(lattice_of(ranks, s.file), level::collective);

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
