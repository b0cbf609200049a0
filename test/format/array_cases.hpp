// Arrays in files, in any world. Each function is called by all ranks, for any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/layout/pack.hpp>

#include "support/catch.hpp"
#include "support/seed.hpp"

namespace argosy::test {

using namespace extend;

struct particle {
  double x[3];
  float charge;
  std::int32_t id;
};

// Sets the value of an element, which shows its number.
inline void number_to(std::int64_t n, double& to) { to = 0.5 * static_cast<double>(n); }
inline void number_to(std::int64_t n, std::int16_t& to) { to = static_cast<std::int16_t>(n * 7); }
inline void number_to(std::int64_t n, std::complex<float>& to) { to = {static_cast<float>(n), -1}; }
inline void number_to(std::int64_t n, particle& to) {
  to = {{1.0 * static_cast<double>(n), 2, 3}, -5, static_cast<std::int32_t>(n)};
}
inline bool is_number(std::int64_t n, particle const& p) {
  return p.x[0] == static_cast<double>(n) && p.x[1] == 2 && p.x[2] == 3 && p.id == n;
}
template <class T>
bool is_number(std::int64_t n, T const& value) {
  T expected{};
  number_to(n, expected);
  return value == expected;
}

// The distribution of an array of up to 4 dimensions. It also computes, without a datatype, the
// numbers of a rank's elements in the order of the file.
struct dealt {
  std::vector<std::int64_t> sizes, grid, block;
  order o = order::c;

  static dealt any(std::mt19937_64& random, int ranks) {
    auto const up_to = [&](std::int64_t n) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    dealt d;
    std::size_t const dimensions = 1 + static_cast<std::size_t>(up_to(4));
    process_grid const balanced(ranks, static_cast<int>(dimensions));
    for (std::size_t i = 0; i < dimensions; ++i) {
      d.sizes.push_back(up_to(dimensions < 3 ? 40 : 9));
      d.grid.push_back(balanced.extents()[i]);
      d.block.push_back(up_to(3) == 0 ? 0 : 1 + up_to(4));  // 0: as large as necessary
    }
    d.o = up_to(2) == 0 ? order::c : order::fortran;
    return d;
  }
  // Returns the array with another distribution.
  dealt again(std::mt19937_64& random, int ranks) const {
    dealt d = *this;
    process_grid const balanced(ranks, static_cast<int>(sizes.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      d.grid[i] = balanced.extents()[sizes.size() - 1 - i];
      d.block[i] = static_cast<std::int64_t>(random() % 4);
    }
    return d;
  }

  template <class T>
  auto tile(int rank) const {
    std::vector<distribute::rule> rules;
    for (std::int64_t const k : block)
      rules.push_back(k == 0 ? distribute::rule(distribute::block)
                             : distribute::rule(distribute::cyclic(k)));
    return darray<T>(argosy::numbers<>(std::span(sizes)), distribute::rules<>(rules),
                     argosy::numbers<>(std::span(grid)), rank, type<T>, o);
  }
  std::vector<std::int64_t> numbers(int rank) const {
    std::size_t const n = sizes.size();
    std::vector<std::int64_t> mine(n), index(n), all;
    for (std::size_t d = n; d-- > 0; rank /= static_cast<int>(grid[d])) mine[d] = rank % grid[d];
    std::int64_t total = 1;
    for (std::int64_t const s : sizes) total *= s;
    for (std::int64_t number = 0; number < total; ++number) {
      std::int64_t rest = number;
      bool here = true;
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t const d = o == order::c ? n - 1 - i : i;
        std::int64_t const at = rest % sizes[d];
        rest /= sizes[d];
        std::int64_t const k = block[d] == 0 ? (sizes[d] + grid[d] - 1) / grid[d] : block[d];
        here = here && at / k % grid[d] == mine[d];
      }
      if (here) all.push_back(number);
    }
    return all;
  }
};

}  // namespace argosy::test

template <>
struct argosy::describe<argosy::test::particle>
    : argosy::members<&argosy::test::particle::x, &argosy::test::particle::id> {};
