// The bodies of cells.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/benchmark/patterns/cells.hpp>
#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/flatten.hpp>
#include <argosy/datatype/order.hpp>
#include <argosy/datatype/subarray.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::bench {

namespace detail {

inline std::int64_t product(box const& b) { return b[0] * b[1] * b[2]; }

class cells_pattern final : public pattern {
 public:
  explicit cells_pattern(cells c) : c_(std::move(c)) {}

  std::string name() const override { return c_.name; }
  int ranks() const override { return c_.ranks; }
  std::int64_t piece_bytes() const override { return c_.part[2] * item(); }
  double density() const override {
    return static_cast<double>(product(times(c_.grid, c_.part))) /
           static_cast<double>(product(c_.whole));
  }
  std::int64_t file_bytes() const override { return product(c_.whole) * item(); }

  share of(int rank) const override {
    share s;
    std::vector<argosy::layout> in_file, in_memory;
    for (box const& start : starts_of(rank)) {
      in_file.push_back(subarray(c_.whole, start));
      in_memory.push_back(at(static_cast<std::int64_t>(in_memory.size()) * cell_bytes(),
                             subarray(memory_box(), halo())));
    }
    s.bytes = static_cast<std::int64_t>(in_file.size()) * product(c_.part) * item();
    s.memory_bytes = static_cast<std::int64_t>(in_file.size()) * cell_bytes();
    s.view = argosy::concat(std::span<argosy::layout const>(in_file));
    s.memory = argosy::concat(std::span<argosy::layout const>(in_memory));
    return s;
  }
  mpi_share mpi_of(int rank) const override {
    mpi_share s;
    std::vector<MPI_Datatype> in_file, in_memory;
    std::vector<MPI_Aint> at_zero, at_cell;
    for (box const& start : starts_of(rank)) {
      in_file.push_back(mpi_subarray(c_.whole, start));
      at_zero.push_back(0);
      at_cell.push_back(static_cast<MPI_Aint>(in_memory.size()) * cell_bytes());
      in_memory.push_back(mpi_subarray(memory_box(), halo()));
    }
    s.view = mpi_record(in_file, at_zero);
    s.memory = mpi_record(in_memory, at_cell);
    return s;
  }
  void walk(int rank, std::function<void(transfer const&)> const& f) const override {
    box const memory = memory_box();
    std::int64_t cell = 0;
    for (box const& start : starts_of(rank)) {
      for (std::int64_t z = 0; z < c_.part[0]; ++z)
        for (std::int64_t y = 0; y < c_.part[1]; ++y)
          f({place(c_.whole, {start[0] + z, start[1] + y, start[2]}),
             cell + place(memory, {c_.halo + z, c_.halo + y, c_.halo}), piece_bytes()});
      cell += cell_bytes();
    }
  }

 private:
  std::int64_t item() const { return c_.doubles * static_cast<std::int64_t>(sizeof(double)); }
  box halo() const { return {c_.halo, c_.halo, c_.halo}; }
  box memory_box() const {
    return {c_.part[0] + 2 * c_.halo, c_.part[1] + 2 * c_.halo, c_.part[2] + 2 * c_.halo};
  }
  std::int64_t cell_bytes() const { return product(memory_box()) * item(); }
  std::int64_t place(box const& sizes, box const& at) const {
    return ((at[0] * sizes[1] + at[1]) * sizes[2] + at[2]) * item();
  }

  // Returns the starts of a rank's cells, one layer above the other.
  std::vector<box> starts_of(int rank) const {
    box const& g = c_.grid;
    if (c_.owners == ownership::block)
      return {times({rank / (g[1] * g[2]), rank / g[2] % g[1], rank % g[2]}, c_.part)};
    std::vector<box> starts;
    for (std::int64_t z = 0; z < g[0]; ++z)
      starts.push_back(
          times({z, (rank / g[2] + (g[1] - 1) * z) % g[1], (rank % g[2] + z) % g[2]}, c_.part));
    return starts;
  }

  // Orders the numbers of the dimensions as `order` requires.
  template <class Number>
  std::vector<Number> named(box const& b) const {
    std::vector<Number> numbers;
    for (std::size_t d = 0; d < 3; ++d)
      numbers.push_back(static_cast<Number>(b[c_.order == MPI_ORDER_C ? d : 2 - d]));
    return numbers;
  }
  argosy::layout subarray(box const& sizes, box const& start) const {
    return argosy::flatten(argosy::subarray(
        named<std::int64_t>(sizes), named<std::int64_t>(c_.part), named<std::int64_t>(start),
        argosy::contiguous(c_.doubles, argosy::type<double>),
        c_.order == MPI_ORDER_C ? argosy::order::c : argosy::order::fortran));
  }
  MPI_Datatype mpi_subarray(box const& sizes, box const& start) const {
    MPI_Datatype one, made;
    MPI_Type_contiguous(c_.doubles, MPI_DOUBLE, &one);
    MPI_Type_create_subarray(3, named<int>(sizes).data(), named<int>(c_.part).data(),
                             named<int>(start).data(), c_.order, one, &made);
    MPI_Type_free(&one);
    return made;
  }
  // Makes a record, and frees its parts.
  static MPI_Datatype mpi_record(std::vector<MPI_Datatype> parts,
                                 std::vector<MPI_Aint> const& places) {
    MPI_Datatype made = parts.front();
    if (parts.size() > 1) {
      std::vector<int> const lengths(parts.size(), 1);
      MPI_Type_create_struct(static_cast<int>(parts.size()), lengths.data(), places.data(),
                             parts.data(), &made);
      for (MPI_Datatype& t : parts) MPI_Type_free(&t);
    }
    MPI_Type_commit(&made);
    return made;
  }

  cells c_;
};

}  // namespace detail

inline box block_grid(int ranks) {
  std::array<int, 3> n{};
  MPI_Dims_create(ranks, 3, n.data());  // returns the greatest number first
  return {n[2], n[1], n[0]};
}
inline box multipartition_grid(int ranks) {
  std::array<int, 2> n{};
  MPI_Dims_create(ranks, 2, n.data());
  return {n[0], n[1], n[0]};
}

inline std::unique_ptr<pattern> make_pattern(cells c) {
  return std::make_unique<detail::cells_pattern>(std::move(c));
}

}  // namespace argosy::bench
