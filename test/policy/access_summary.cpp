// The numbers that describe an access: its granule, compared with one computed from each piece, and
// the sum over all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <limits>
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
  for (io::extend::cursor at(l); !at.done(); at.next())
    g = std::gcd(std::gcd(g, at.current().offset), at.current().length);
  return g;
}

}  // namespace

TEST_CASE(
    "a granule is the greatest number that divides all offsets and lengths of irregular pieces",
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
    // One piece is out of step, anywhere.
    if (one_in(random, 3)) {
      auto& piece = pieces[static_cast<std::size_t>(pick(random, 0, std::ssize(pieces) - 1))];
      piece = io::at(pick(random, 0, 7), piece);
    }
    io::layout const one = io::concat(pieces);
    CHECK(io::granule_of(one) == granule_by_pieces(one));
    io::layout const many =
        io::repeat(pick(random, 1, 3), one.extent() + pick(random, 0, 3) * unit, one);
    CHECK(io::granule_of(many) == granule_by_pieces(many));
  }
}

TEST_CASE("what ranks tell adds up, whichever rank comes first", "[policy][random]") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  using summary = io::extend::access_summary;
  engine random(seed());
  for (int round = 0; round < 500; ++round) {
    CAPTURE(seed(), round);
    std::vector<summary> ranks(static_cast<std::size_t>(pick(random, 1, 6)));
    for (summary& s : ranks) {
      if (one_in(random, 4)) continue;  // has no data
      s.low = pick(random, 0, 1000);
      s.high = s.low + pick(random, 1, 1000);
      s.granule = pick(random, 1, 4) * 6;
      for (auto number : {&summary::bytes, &summary::most_bytes, &summary::pieces,
                          &summary::most_pieces, &summary::spans, &summary::alone_ns,
                          &summary::alone_sum_ns, &summary::alone_calls, &summary::alone_bytes})
        s.*number = one_in(random, 20) ? most - pick(random, 0, 5) : pick(random, 1, 1000);
      s.ranks = 1;
      s.pending = static_cast<std::int16_t>(pick(random, 0, 1));
      s.wrote_alone = static_cast<std::int8_t>(pick(random, 0, 1));
      s.unsorted = static_cast<std::int8_t>(pick(random, 0, 1));
    }
    summary all;
    for (summary const& s : ranks) all.combine(s);
    summary back;
    for (auto s = ranks.rbegin(); s != ranks.rend(); ++s) back.combine(*s);
    CHECK(all == back);
    auto const largest = [&](auto number) { return std::ranges::max(ranks, {}, number).*number; };
    CHECK(all.low == std::ranges::min(ranks, {}, &summary::low).low);
    CHECK(all.high == largest(&summary::high));
    for (auto number : {&summary::most_bytes, &summary::most_pieces, &summary::alone_ns})
      CHECK(all.*number == largest(number));
    for (auto number : {&summary::bytes, &summary::pieces, &summary::spans, &summary::alone_sum_ns,
                        &summary::alone_calls, &summary::alone_bytes}) {
      long double sum = 0;  // exact below 2^64
      for (summary const& s : ranks) sum += static_cast<long double>(s.*number);
      CHECK(all.*number ==
            (sum > static_cast<long double>(most) ? most : static_cast<std::int64_t>(sum)));
    }
    std::int64_t granule = 0;
    for (summary const& s : ranks) granule = std::gcd(granule, s.granule);
    CHECK(all.granule == granule);
    CHECK(all.ranks == std::ranges::count(ranks, 1, &summary::ranks));
    CHECK(all.pending == largest(&summary::pending));
    CHECK(all.wrote_alone == largest(&summary::wrote_alone));
    CHECK(all.unsorted == largest(&summary::unsorted));
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
