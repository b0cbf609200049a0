// What is told of an access in numbers: its granule, beside one that is taken from each piece.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <numeric>
#include <vector>

#include <argosy/layout.hpp>
#include <argosy/policy/access_summary.hpp>

#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/random_tree.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

std::int64_t granule_by_pieces(io::layout const& l) {
  std::int64_t g = 0;
  for (io::cursor at(l); !at.done(); at.next()) g = std::gcd(std::gcd(g, at.current().offset), at.current().length);
  return g;
}

}  // namespace

TEST_CASE("a granule is the greatest number that divides all offsets and lengths of irregular pieces",
          "[policy][random]") {
  engine random(seed());
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(seed(), round);
    std::int64_t const unit = pick(random, 1, 48), before = pick(random, 0, 3) * unit;
    bool const equal = one_in(random, 2);
    std::int64_t const usual = pick(random, 1, 4) * unit;
    std::vector<io::layout> pieces;
    std::int64_t end = before;
    for (std::int64_t n = pick(random, 1, 200); n > 0; --n) {
      std::int64_t const length = equal ? usual : pick(random, 1, 4) * unit;
      pieces.push_back(io::at(end, io::bytes(length)));
      end += length + pick(random, 0, 5) * unit;
    }
    // One that is out of step, anywhere.
    if (one_in(random, 3)) {
      auto& piece = pieces[static_cast<std::size_t>(pick(random, 0, std::ssize(pieces) - 1))];
      piece = io::at(pick(random, 0, 7), piece);
    }
    io::layout const one = io::concat(pieces);
    CHECK(io::granule_of(one) == granule_by_pieces(one));
    io::layout const many = io::repeat(pick(random, 1, 3), one.extent() + pick(random, 0, 3) * unit, one);
    CHECK(io::granule_of(many) == granule_by_pieces(many));
  }
}

TEST_CASE("the granule of any datatype divides all offsets and lengths", "[policy][random]") {
  for (std::uint64_t round = 0; round < 2000; ++round) {
    CAPTURE(seed(), round);
    io::layout const l = to_layout(random_tree(seed() + round), bounds_rule::hull);
    std::int64_t const g = io::granule_of(l);
    if (l.empty()) {
      CHECK(g == 0);
      continue;
    }
    REQUIRE(g > 0);
    CHECK(granule_by_pieces(l) % g == 0);
  }
}
