// SPDX-License-Identifier: BSD-3-Clause
#include "pattern.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>

namespace patterns {
namespace {

// Pieces of one length, one rank's after the other's, dense in memory.
class vector final : public pattern {
 public:
  vector(int ranks, std::int64_t piece, double density, limits const& most)
      : ranks_(ranks), piece_(piece), slot_(static_cast<std::int64_t>(static_cast<double>(piece) / density)) {
    count_ = std::max<std::int64_t>(1, std::min({most.bytes / piece, most.pieces, most.span / (slot_ * ranks)}));
  }

  std::string name() const override { return "vector"; }
  std::int64_t piece_bytes() const override { return piece_; }
  double density() const override { return static_cast<double>(piece_) / static_cast<double>(slot_); }
  std::int64_t file_bytes() const override { return count_ * ranks_ * slot_; }

  share of(int rank) const override {
    share s;
    s.view = form_of(argosy::resized(
        argosy::indexed_block(piece_, std::vector<std::int64_t>{rank * slot_}, argosy::type<std::byte>), 0, stride()));
    s.memory = argosy::bytes(count_ * piece_);
    for (std::int64_t i = 0; i < count_; ++i) s.pieces.push_back({i * stride() + rank * slot_, i * piece_, piece_});
    s.bytes = s.memory_bytes = count_ * piece_;
    return s;
  }
  mpi_share mpi_of(int rank) const override {
    mpi_share s;
    MPI_Datatype piece;
    int const length = static_cast<int>(piece_);
    MPI_Aint const place = rank * slot_;
    MPI_Type_create_hindexed(1, &length, &place, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, stride(), &s.view);
    MPI_Type_free(&piece);
    MPI_Type_commit(&s.view);
    MPI_Type_contiguous(static_cast<int>(count_ * piece_), MPI_BYTE, &s.memory);
    MPI_Type_commit(&s.memory);
    return s;
  }

 private:
  std::int64_t stride() const { return ranks_ * slot_; }

  int ranks_;
  std::int64_t piece_, slot_, count_;
};

using box = std::array<std::int64_t, 3>;

// A block of doubles out of a 3-D array that the ranks have divided; in memory dense, or with a halo around it.
class tile final : public pattern {
 public:
  tile(int ranks, std::int64_t edge, bool halo) : halo_(halo) {
    std::array<int, 3> grid{};
    MPI_Dims_create(ranks, 3, grid.data());
    // One more block in each dimension than there are ranks: also a single rank has holes to step over.
    for (std::size_t d = 0; d < 3; ++d) {
      ranks_[2 - d] = grid[d];
      part_[d] = edge;
    }
    for (std::size_t d = 0; d < 3; ++d) whole_[d] = (ranks_[d] + 1) * part_[d];
  }

  std::string name() const override { return halo_ ? "tile3d_halo" : "tile3d"; }
  std::int64_t piece_bytes() const override { return part_[2] * item; }
  double density() const override {
    double d = 1;
    for (std::size_t i = 0; i < 3; ++i) d *= static_cast<double>(ranks_[i]) / static_cast<double>(ranks_[i] + 1);
    return d;
  }
  std::int64_t file_bytes() const override { return whole_[0] * whole_[1] * whole_[2] * item; }

  share of(int rank) const override {
    share s;
    box const start = start_of(rank), memory = memory_box();
    std::int64_t const h = halo();
    s.view = form_of(argosy::subarray({whole_[0], whole_[1], whole_[2]}, {part_[0], part_[1], part_[2]},
                                      {start[0], start[1], start[2]}, argosy::type<double>));
    s.memory = form_of(argosy::subarray({memory[0], memory[1], memory[2]}, {part_[0], part_[1], part_[2]}, {h, h, h},
                                        argosy::type<double>));
    for (std::int64_t z = 0; z < part_[0]; ++z)
      for (std::int64_t y = 0; y < part_[1]; ++y)
        s.pieces.push_back({(((start[0] + z) * whole_[1] + start[1] + y) * whole_[2] + start[2]) * item,
                            (((h + z) * memory[1] + h + y) * memory[2] + h) * item, piece_bytes()});
    s.bytes = part_[0] * part_[1] * part_[2] * item;
    s.memory_bytes = memory[0] * memory[1] * memory[2] * item;
    return s;
  }
  mpi_share mpi_of(int rank) const override {
    std::int64_t const h = halo();
    return {subarray(whole_, start_of(rank)), subarray(memory_box(), {h, h, h})};
  }

 private:
  static constexpr std::int64_t item = sizeof(double);

  std::int64_t halo() const { return halo_ ? 1 : 0; }
  box memory_box() const { return {part_[0] + 2 * halo(), part_[1] + 2 * halo(), part_[2] + 2 * halo()}; }
  box start_of(int rank) const {
    return {rank / (ranks_[1] * ranks_[2]) * part_[0], rank / ranks_[2] % ranks_[1] * part_[1],
            rank % ranks_[2] * part_[2]};
  }
  MPI_Datatype subarray(box const& whole, box const& start) const {
    std::array<int, 3> sizes{}, subsizes{}, starts{};
    for (std::size_t d = 0; d < 3; ++d) {
      sizes[d] = static_cast<int>(whole[d]);
      subsizes[d] = static_cast<int>(part_[d]);
      starts[d] = static_cast<int>(start[d]);
    }
    MPI_Datatype made;
    MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C, MPI_DOUBLE, &made);
    MPI_Type_commit(&made);
    return made;
  }

  bool halo_;
  box whole_{}, part_{};
  std::array<std::int64_t, 3> ranks_{};
};

}  // namespace

std::vector<std::unique_ptr<pattern>> all_patterns(int ranks, limits const& most) {
  std::vector<std::unique_ptr<pattern>> all;
  for (std::int64_t piece : {8, 64, 512, 4096, 65536})
    for (double density : {0.5, 0.1, 0.01})
      if (piece <= most.bytes) all.push_back(std::make_unique<vector>(ranks, piece, density, most));
  std::int64_t edge = 2;
  while ((edge + 2) * (edge + 2) * (edge + 2) * 8 <= most.bytes) edge += 2;
  for (bool halo : {false, true}) all.push_back(std::make_unique<tile>(ranks, edge, halo));
  return all;
}

}  // namespace patterns
