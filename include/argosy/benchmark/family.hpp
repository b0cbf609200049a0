// The families of patterns: programs that the literature measures, for any number of ranks and any
// sizes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/benchmark/patterns/cells.hpp>
#include <argosy/benchmark/patterns/dealt.hpp>
#include <argosy/benchmark/patterns/lattice.hpp>
#include <argosy/benchmark/patterns/pattern.hpp>
#include <argosy/benchmark/patterns/shuffled.hpp>

namespace argosy::bench {

// How the ranks make the calls of one iteration.
enum class calls_of {
  view,             // one collective call on a view, with all data
  pieces,           // a local call for each piece
  pieces_together,  // a collective call for each piece
  shared_pointer,   // an ordered call for each piece, at the shared pointer
  own_files         // a local call for each piece, on a file of each rank
};

// A family makes a pattern from the number of ranks and the sizes.
struct family {
  std::string_view name;
  std::vector<std::string> sizes;   // names of the sizes
  std::vector<std::int64_t> usual;  // sizes of a short run
  calls_of calls;
  std::unique_ptr<pattern> (*make)(int ranks, std::span<std::int64_t const> sizes);
};

namespace detail {

// Returns cells of equal edges that fill a file of about that many bytes, with as many cells as the
// grid has.
inline cells cubes(cells c, std::int64_t file) {
  auto const items =
      static_cast<double>(file / (c.doubles * static_cast<std::int64_t>(sizeof(double))));
  auto const edge = static_cast<std::int64_t>(std::cbrt(items));
  for (std::size_t d = 0; d < 3; ++d) c.part[d] = std::max<std::int64_t>(1, edge / c.grid[d]);
  c.whole = times(c.grid, c.part);
  return c;
}
inline cells dist3d(int ranks, std::int64_t file) {
  return cubes({"dist3d", ranks, {}, block_grid(ranks)}, file);
}
inline cells btio(int ranks, std::int64_t file) {
  cells c{"btio", ranks, {}, multipartition_grid(ranks)};
  c.doubles = 5;
  c.owners = ownership::multipartition;
  return cubes(c, file);
}
inline cells hpcx3d(int ranks, std::int64_t file, int halo = 2) {
  cells c{"hpcx3d", ranks, {}, block_grid(ranks)};
  c.halo = halo;
  c.order = MPI_ORDER_FORTRAN;
  return cubes(c, file);
}
inline shuffled slots(std::string name, int ranks, std::int64_t file, std::int64_t piece) {
  return {std::move(name), ranks, piece, std::max<std::int64_t>(1, file / (piece * ranks))};
}
// Interleaves pieces of all ranks: a row of the file has one of each rank.
inline dealt interleaved(std::string name, int ranks, std::int64_t piece, std::int64_t file) {
  return {std::move(name), ranks,        piece, std::max<std::int64_t>(1, file / (piece * ranks)),
          piece,           piece * ranks};
}
// Gives each rank one segment of the file, in pieces.
inline dealt segments(std::string name, int ranks, std::int64_t piece, std::int64_t segment) {
  std::int64_t const count = std::max<std::int64_t>(1, segment / piece);
  return {std::move(name), ranks, piece, count, count * piece, piece};
}

using sizes_of_family = std::span<std::int64_t const>;

// Appends programs with one collective call on a view.
inline void add_programs(std::vector<family>& all) {
  constexpr std::int64_t file = 4 << 20;
  auto const add = [&](std::string_view name, std::vector<std::string> sizes,
                       std::vector<std::int64_t> usual, auto make) {
    all.push_back({name, std::move(sizes), std::move(usual), calls_of::view, make});
  };
  add("dist3d", {"bytes"}, {file},
      [](int n, sizes_of_family s) { return make_pattern(dist3d(n, s[0])); });
  add("btio", {"bytes"}, {file},
      [](int n, sizes_of_family s) { return make_pattern(btio(n, s[0])); });
  add("unstruc", {"bytes", "piece"}, {file, 64},
      [](int n, sizes_of_family s) { return make_pattern(slots("unstruc", n, s[0], s[1])); });
  add("discontiguous", {"bytes", "piece"}, {file, 1024},
      [](int n, sizes_of_family s) { return make_pattern(slots("discontiguous", n, s[0], s[1])); });
  add("hpcx3d", {"bytes", "halo"}, {file, 2}, [](int n, sizes_of_family s) {
    return make_pattern(hpcx3d(n, s[0], static_cast<int>(s[1])));
  });
  add("lattice4d", {"t", "z", "y", "x"}, {4, 4, 4, 8}, [](int n, sizes_of_family s) {
    return make_pattern(lattice{"lattice4d", n, {s[0], s[1], s[2], s[3]}});
  });
}
// Appends the five types of b_eff_io.
inline void add_types_of_beffio(std::vector<family>& all) {
  auto const add = [&](std::string_view name, std::int64_t chunk, calls_of calls, auto make) {
    all.push_back({name, {"chunk", "memory"}, {chunk, 1 << 20}, calls, make});
  };
  add("beffio_scatter", 1024, calls_of::view, [](int n, sizes_of_family s) {
    return make_pattern(interleaved("beffio_scatter", n, s[0], s[1] * n));
  });
  add("beffio_shared", 32768, calls_of::shared_pointer, [](int n, sizes_of_family s) {
    return make_pattern(interleaved("beffio_shared", n, s[0], s[1] * n));
  });
  add("beffio_separated", 32768, calls_of::own_files, [](int n, sizes_of_family s) {
    return make_pattern(segments("beffio_separated", n, s[0], s[1]));
  });
  add("beffio_segmented", 32768, calls_of::pieces, [](int n, sizes_of_family s) {
    return make_pattern(segments("beffio_segmented", n, s[0], s[1]));
  });
  add("beffio_seg_coll", 32768, calls_of::pieces_together, [](int n, sizes_of_family s) {
    return make_pattern(segments("beffio_seg_coll", n, s[0], s[1]));
  });
}
inline std::vector<family> make_families() {
  std::vector<family> all;
  add_programs(all);
  add_types_of_beffio(all);
  return all;
}

}  // namespace detail

// Returns all families: dist3d, btio, unstruc, discontiguous, hpcx3d, lattice4d, and the five types
// of b_eff_io.
inline std::vector<family> const& families() {
  static std::vector<family> const all = detail::make_families();
  return all;
}
// Returns the family of that name. Throws std::invalid_argument if there is none.
inline family const& find_family(std::string_view name) {
  for (family const& f : families())
    if (f.name == name) return f;
  throw std::invalid_argument("argosy: there is no family of patterns \"" + std::string(name) +
                              "\"; argosy/benchmark/family.hpp lists them");
}

// Makes the pattern of a family. Throws std::invalid_argument if the number of sizes is wrong, or a
// size is not positive. The halo of hpcx3d may be 0.
inline std::unique_ptr<pattern> make_pattern(family const& f, int ranks,
                                             std::span<std::int64_t const> sizes) {
  if (sizes.size() != f.sizes.size())
    throw std::invalid_argument("argosy: the family " + std::string(f.name) + " has " +
                                std::to_string(f.sizes.size()) + " sizes, not " +
                                std::to_string(sizes.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < (f.sizes[i] == "halo" ? 0 : 1))
      throw std::invalid_argument("argosy: the size \"" + f.sizes[i] + "\" of " +
                                  std::string(f.name) + " is " + std::to_string(sizes[i]) +
                                  "; give a positive number");
  return f.make(ranks, sizes);
}

}  // namespace argosy::bench
