// Slots of one length, dealt to the ranks at random.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/benchmark/detail/shuffle.hpp>
#include <argosy/benchmark/patterns/pattern.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/table.hpp>

namespace argosy::bench {

// Slots of one length, dealt to the ranks at random (equal in every run), equally many to each;
// dense in memory.
struct shuffled {
  std::string name;
  int ranks = 1;
  std::int64_t piece = 0, count = 0;  // `count`: slots of a rank
};

namespace detail {

class shuffled_pattern final : public pattern {
 public:
  explicit shuffled_pattern(shuffled s)
      : s_(std::move(s)), owners_(static_cast<std::size_t>(s_.ranks * s_.count)) {
    for (std::size_t i = 0; i < owners_.size(); ++i)
      owners_[i] = static_cast<int>(i % static_cast<std::size_t>(s_.ranks));
    std::mt19937_64 random(20240229);
    shuffle(owners_, random);
  }

  std::string name() const override { return s_.name; }
  int ranks() const override { return s_.ranks; }
  std::int64_t piece_bytes() const override { return s_.piece; }
  std::int64_t file_bytes() const override { return s_.ranks * s_.count * s_.piece; }

  share of(int rank) const override {
    share s;
    s.view =
        argosy::resized(argosy::table(offsets_of<std::int64_t>(rank), s_.piece), 0, file_bytes());
    s.bytes = s.memory_bytes = s_.count * s_.piece;
    s.memory = argosy::bytes(s.bytes);
    return s;
  }
  mpi_share mpi_of(int rank) const override {
    mpi_share s;
    auto const offsets = offsets_of<MPI_Aint>(rank);
    MPI_Datatype pieces;
    MPI_Type_create_hindexed_block(static_cast<int>(offsets.size()), static_cast<int>(s_.piece),
                                   offsets.data(), MPI_BYTE, &pieces);
    MPI_Type_create_resized(pieces, 0, file_bytes(), &s.view);
    MPI_Type_free(&pieces);
    MPI_Type_commit(&s.view);
    MPI_Type_contiguous(static_cast<int>(s_.count * s_.piece), MPI_BYTE, &s.memory);
    MPI_Type_commit(&s.memory);
    return s;
  }
  void walk(int rank, std::function<void(transfer const&)> const& f) const override {
    std::int64_t memory = 0;
    for (std::size_t i = 0; i < owners_.size(); ++i)
      if (owners_[i] == rank)
        f({static_cast<std::int64_t>(i) * s_.piece, std::exchange(memory, memory + s_.piece),
           s_.piece});
  }

 private:
  template <class Offset>
  std::vector<Offset> offsets_of(int rank) const {
    std::vector<Offset> offsets;
    for (std::size_t i = 0; i < owners_.size(); ++i)
      if (owners_[i] == rank) offsets.push_back(static_cast<Offset>(i) * s_.piece);
    return offsets;
  }

  shuffled s_;
  std::vector<int> owners_;  // one for each slot
};

}  // namespace detail

inline std::unique_ptr<pattern> make_pattern(shuffled s) {
  return std::make_unique<detail::shuffled_pattern>(std::move(s));
}

}  // namespace argosy::bench
