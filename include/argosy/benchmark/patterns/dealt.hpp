// Pieces of one length at equal distances: interleaved by the ranks, or one segment for each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
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
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/flatten.hpp>
#include <argosy/datatype/indexed_block.hpp>
#include <argosy/datatype/resized.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::bench {

// Pieces of one length at equal distances, dense in memory. Piece i of a rank begins at rank *
// rank_stride + i * stride.
struct dealt {
  std::string name;
  int ranks = 1;
  std::int64_t piece = 0, count = 0, rank_stride = 0, stride = 0;
  double density = 1;
};

namespace detail {

class dealt_pattern final : public pattern {
 public:
  explicit dealt_pattern(dealt d) : d_(std::move(d)) {}

  std::string name() const override { return d_.name; }
  int ranks() const override { return d_.ranks; }
  std::int64_t piece_bytes() const override { return d_.piece; }
  double density() const override { return d_.density; }
  std::int64_t file_bytes() const override {
    // In a pattern with gaps, the file includes the last gap.
    std::int64_t const dealt_bytes =
        (d_.ranks - 1) * d_.rank_stride + (d_.count - 1) * d_.stride + d_.piece;
    return std::max(dealt_bytes, d_.density < 1 ? d_.count * d_.stride : 0);
  }

  share of(int rank) const override {
    share s;
    s.view = argosy::flatten(argosy::resized(
        argosy::indexed_block(d_.piece, std::vector<std::int64_t>{rank * d_.rank_stride},
                              argosy::type<std::byte>),
        0, d_.stride));
    s.bytes = s.memory_bytes = d_.count * d_.piece;
    s.memory = argosy::bytes(s.bytes);
    return s;
  }
  mpi_share mpi_of(int rank) const override {
    mpi_share s;
    MPI_Datatype piece;
    int const length = static_cast<int>(d_.piece);
    MPI_Aint const place = rank * d_.rank_stride;
    MPI_Type_create_hindexed(1, &length, &place, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, d_.stride, &s.view);
    MPI_Type_free(&piece);
    MPI_Type_commit(&s.view);
    MPI_Type_contiguous(static_cast<int>(d_.count * d_.piece), MPI_BYTE, &s.memory);
    MPI_Type_commit(&s.memory);
    return s;
  }
  void walk(int rank, std::function<void(transfer const&)> const& f) const override {
    for (std::int64_t i = 0; i < d_.count; ++i)
      f({rank * d_.rank_stride + i * d_.stride, i * d_.piece, d_.piece});
  }

 private:
  dealt d_;
};

}  // namespace detail

inline std::unique_ptr<pattern> make_pattern(dealt d) {
  return std::make_unique<detail::dealt_pattern>(std::move(d));
}

}  // namespace argosy::bench
