// A lattice in four dimensions, dealt to the ranks in blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/benchmark/patterns/pattern.hpp>
#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/flatten.hpp>
#include <argosy/datatype/process_grid.hpp>
#include <argosy/datatype/subarray.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::bench {

// The slowest dimension first.
using box4 = std::array<std::int64_t, 4>;

// A lattice whose ranks have as many sites each, dense in memory. The file has the sites in the
// order of the last dimension first.
struct lattice {
  std::string name;
  int ranks = 1;
  box4 sites{4, 4, 4, 8};         // number of a rank
  std::int64_t site_bytes = 576;  // four complex 3x3 matrices of double precision
};

namespace detail {

// The block of one rank.
struct lattice_block {
  box4 local, grid, at;
  std::int64_t site_bytes;

  lattice_block(int ranks, int rank, box4 const& sites, std::int64_t bytes_of_site)
      : local(sites), grid{}, at{}, site_bytes(bytes_of_site) {
    process_grid const g(ranks, 4);
    std::int64_t left = rank;
    for (int d = 3; d >= 0; --d) {
      auto const i = static_cast<std::size_t>(d);
      grid[i] = g.extent(d);
      at[i] = left % grid[i];
      left /= grid[i];
    }
  }
  std::int64_t extent(std::size_t d) const { return grid[d] * local[d]; }
  std::int64_t bytes() const { return local[0] * local[1] * local[2] * local[3] * site_bytes; }
  std::int64_t file_bytes() const { return bytes() * grid[0] * grid[1] * grid[2] * grid[3]; }
  box4 sizes() const { return {extent(0), extent(1), extent(2), extent(3)}; }
  box4 starts() const {
    return {at[0] * local[0], at[1] * local[1], at[2] * local[2], at[3] * local[3]};
  }

  argosy::layout view() const {
    auto const box = [](box4 const& n) { return std::vector<std::int64_t>(n.begin(), n.end()); };
    return flatten(subarray(box(sizes()), box(local), box(starts()), argosy::bytes(site_bytes)));
  }
  // Calls `f` with every piece of the block, in the order of the file.
  template <class F>
  void walk(F&& f) const {
    std::int64_t const length = local[3] * site_bytes;
    std::int64_t memory = 0;
    for (std::int64_t t = 0; t < local[0]; ++t)
      for (std::int64_t z = 0; z < local[1]; ++z)
        for (std::int64_t y = 0; y < local[2]; ++y, memory += length)
          f(transfer{(((at[0] * local[0] + t) * extent(1) + at[1] * local[1] + z) * extent(2) +
                      at[2] * local[2] + y) *
                             extent(3) * site_bytes +
                         at[3] * length,
                     memory, length});
  }
};

class lattice_pattern final : public pattern {
 public:
  explicit lattice_pattern(lattice l) : l_(std::move(l)) {}

  std::string name() const override { return l_.name; }
  int ranks() const override { return l_.ranks; }
  std::int64_t piece_bytes() const override { return l_.sites[3] * l_.site_bytes; }
  std::int64_t file_bytes() const override { return block(0).file_bytes(); }

  share of(int rank) const override {
    lattice_block const b = block(rank);
    return {b.view(), argosy::bytes(b.bytes()), b.bytes(), b.bytes()};
  }
  mpi_share mpi_of(int rank) const override {
    lattice_block const b = block(rank);
    auto const box = [](box4 const& n) { return std::vector<int>(n.begin(), n.end()); };
    mpi_share s;
    MPI_Datatype site = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(l_.site_bytes), MPI_BYTE, &site);
    MPI_Type_create_subarray(4, box(b.sizes()).data(), box(b.local).data(), box(b.starts()).data(),
                             MPI_ORDER_C, site, &s.view);
    MPI_Type_free(&site);
    MPI_Type_commit(&s.view);
    MPI_Type_contiguous(static_cast<int>(b.bytes()), MPI_BYTE, &s.memory);
    MPI_Type_commit(&s.memory);
    return s;
  }
  void walk(int rank, std::function<void(transfer const&)> const& f) const override {
    block(rank).walk(f);
  }

 private:
  lattice_block block(int rank) const { return {l_.ranks, rank, l_.sites, l_.site_bytes}; }

  lattice l_;
};

}  // namespace detail

inline std::unique_ptr<pattern> make_pattern(lattice l) {
  return std::make_unique<detail::lattice_pattern>(std::move(l));
}

}  // namespace argosy::bench
