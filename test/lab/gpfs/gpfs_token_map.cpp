// The map of a node's tokens: what it joins, splits and takes back.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include <argosy/lab/gpfs/detail/token_map.hpp>

#include "support/seed.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using gpfs::detail::token_map;
using gpfs::detail::token_mode;

TEST_CASE("a token map splits, joins and takes back only what it knew of", "[gpfs][tokens]") {
  token_map t;
  t.raise({0, gpfs::detail::no_end}, token_mode::write, 1);
  t.lower({4, 6}, token_mode::none, 1);
  t.lower({8, 10}, token_mode::read, 1);
  CHECK(t.size() == 4);
  CHECK(t.at(3) == token_mode::write);
  CHECK(t.at(4) == token_mode::none);
  CHECK(t.at(9) == token_mode::read);
  CHECK(t.covers({6, 10}, token_mode::read));
  CHECK(!t.covers({6, 10}, token_mode::write));
  CHECK(!t.covers({3, 5}, token_mode::read));
  CHECK(t.covers({10, gpfs::detail::no_end}, token_mode::write));
  t.raise({4, 5}, token_mode::read, 2);
  t.lower({0, gpfs::detail::no_end}, token_mode::none, 1);
  CHECK(t.size() == 1);
  CHECK(t.at(4) == token_mode::read);
  t.lower({0, gpfs::detail::no_end}, token_mode::none, 2);
  CHECK(t.empty());
}

TEST_CASE("a token map is what an array of blocks is", "[gpfs][tokens][random]") {
  constexpr std::int64_t blocks = 40;
  constexpr std::array modes{token_mode::none, token_mode::read, token_mode::write};
  struct entry {
    token_mode mode = token_mode::none;
    std::int64_t number = 0;
    bool operator==(entry const&) const = default;
  };
  std::mt19937_64 random(io::test::seed());
  auto const below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  token_map t;
  std::array<entry, blocks> plain;
  for (int step = 0; step < 2000; ++step) {
    std::int64_t const begin = below(blocks),
                       end = begin + below(std::min<std::int64_t>(12, blocks - begin) + 1);
    token_mode const mode = modes[static_cast<std::size_t>(below(3))];
    std::int64_t const number = step / 2 + below(3) - 1;
    bool const raises = below(2) == 0;
    raises ? t.raise({begin, end}, mode, number) : t.lower({begin, end}, mode, number);
    for (std::int64_t b = begin; b < end; ++b) {
      entry& e = plain[static_cast<std::size_t>(b)];
      if (raises)
        e = {std::max(e.mode, mode), std::max(e.number, number)};
      else if (e.number <= number)
        e.mode = std::min(e.mode, mode);
      if (e.mode == token_mode::none) e = {};
    }
    std::size_t stretches = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      entry const& e = plain[static_cast<std::size_t>(b)];
      CHECK(t.at(b) == e.mode);
      stretches +=
          e.mode != token_mode::none && (b == 0 || e != plain[static_cast<std::size_t>(b - 1)]);
    }
    CHECK(t.size() == stretches);
    std::int64_t const from = below(blocks), to = from + 1 + below(blocks - from);
    auto const all = [&](auto const& is) {
      return std::all_of(plain.begin() + from, plain.begin() + to,
                         [&](entry const& e) { return is(e.mode); });
    };
    for (token_mode const asked : {token_mode::read, token_mode::write}) {
      CHECK(t.covers({from, to}, asked) == all([&](token_mode m) { return m >= asked; }));
      CHECK((t.conflicting({from, to}, asked) == nullptr) ==
            all([&](token_mode m) { return !gpfs::detail::conflict(m, asked); }));
      // a range around [from, to) grows block by block, up to one that conflicts
      auto const is_free = [&](std::int64_t b) {
        return !gpfs::detail::conflict(plain[static_cast<std::size_t>(b)].mode, asked);
      };
      std::int64_t low = from, high = to;
      std::int64_t const lowest = below(from + 1), highest = to + below(blocks - to + 1);
      while (low > lowest && is_free(low - 1)) --low;
      while (high < highest && is_free(high)) ++high;
      if (t.conflicting({from, to}, asked) == nullptr)
        CHECK(t.free_around({from, to}, {lowest, highest}, asked) ==
              gpfs::detail::block_range{low, high});
    }
  }
}
