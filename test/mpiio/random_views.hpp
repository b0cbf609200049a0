// Random numbers that all ranks draw alike, and random views by MPI's datatypes whose bytes have
// known places.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Returns the same numbers on every rank, so that each knows what the others do.
class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_(mixed(seed)) {}
  int below(int n) {
    return static_cast<int>((state_ = mixed(state_)) % static_cast<std::uint64_t>(n));
  }
  int from_to(int low, int high) { return low + below(high - low + 1); }
  bool one_in(int n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

struct block {
  int at, units;  // within the tile, in etypes
};

// The places of a rank's etypes: tiles one behind the other, from the displacement on.
struct shape {
  std::int64_t displacement = 0;
  int unit = 1;  // bytes of an etype
  int tile = 1;  // etypes
  std::vector<block> blocks = {{0, 1}};
  int maker = 0;  // selects one of MPI's constructors

  int units() const {
    int n = 0;
    for (block const& b : blocks) n += b.units;
    return n;
  }
  // Returns the place in the file of byte k of the view.
  std::int64_t place(std::int64_t k) const {
    std::int64_t const etype = k / unit, per_tile = units();
    std::int64_t left = etype % per_tile;
    for (block const& b : blocks) {
      if (left < b.units)
        return displacement + ((etype / per_tile) * tile + b.at + left) * unit + k % unit;
      left -= b.units;
    }
    std::abort();
  }
};

inline MPI_Datatype etype_of(int unit) {
  return unit == 1 ? MPI_BYTE : unit == 4 ? MPI_INT : MPI_DOUBLE;
}

// Returns a committed filetype, which the caller frees.
inline MPI_Datatype filetype_of(shape const& s) {
  MPI_Datatype const etype = etype_of(s.unit);
  auto const n = static_cast<int>(s.blocks.size());
  std::vector<int> lengths, places;
  std::vector<MPI_Aint> bytes_at;
  std::vector<MPI_Datatype> types(s.blocks.size(), etype);
  for (block const& b : s.blocks) {
    lengths.push_back(b.units);
    places.push_back(b.at);
    bytes_at.push_back(static_cast<MPI_Aint>(b.at) * s.unit);
  }
  MPI_Datatype packed = MPI_DATATYPE_NULL, result = MPI_DATATYPE_NULL;
  switch (s.maker % 4) {
    case 0:
      MPI_Type_indexed(n, lengths.data(), places.data(), etype, &packed);
      break;
    case 1:
      MPI_Type_create_hindexed(n, lengths.data(), bytes_at.data(), etype, &packed);
      break;
    case 2:
      MPI_Type_create_struct(n, lengths.data(), bytes_at.data(), types.data(), &packed);
      break;
    default: {  // made of another type, which is freed before this one is used
      MPI_Datatype one = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(1, etype, &one);
      MPI_Type_indexed(n, lengths.data(), places.data(), one, &packed);
      MPI_Type_free(&one);
    }
  }
  MPI_Type_create_resized(packed, 0, static_cast<MPI_Aint>(s.tile) * s.unit, &result);
  MPI_Type_free(&packed);
  MPI_Type_commit(&result);
  return result;
}

// Draws the size of etypes and the displacement, which all ranks share.
inline shape drawn_base(numbers& draw) {
  int const units[] = {1, 4, 8};
  shape s;
  s.unit = units[draw.below(3)];
  s.displacement = draw.below(200);
  return s;
}

// Draws one view for all ranks.
inline shape drawn_common(numbers& draw, shape s) {
  s.blocks.clear();
  int at = 0;
  for (int i = draw.from_to(1, 4); i > 0; --i) {
    at += draw.below(4);
    s.blocks.push_back({at, draw.from_to(1, 6)});
    at += s.blocks.back().units;
  }
  s.tile = at + draw.below(5);
  s.maker = draw.below(4);
  return s;
}

// Deals cells to ranks, or to none. No byte belongs to two ranks.
inline std::vector<shape> drawn_dealt(numbers& draw, shape const& base, int ranks) {
  std::vector<shape> all(static_cast<std::size_t>(ranks), base);
  for (shape& s : all) s.blocks.clear();
  int const cell = draw.from_to(1, 9), cells = ranks + draw.below(12);
  for (int i = 0; i < cells; ++i) {
    int const owner = i < ranks ? i : draw.below(ranks + 1);
    if (owner == ranks) continue;
    all[static_cast<std::size_t>(owner)].blocks.push_back({i * cell, draw.from_to(1, cell)});
  }
  for (shape& s : all) {
    s.tile = cell * cells;
    s.maker = draw.below(4);
  }
  return all;
}
