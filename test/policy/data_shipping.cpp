// Data shipping as a plan: the agent of each block of the file, and the windows of its accesses.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/policy/data_shipping.hpp>

#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

namespace {

io::extend::access_summary asking(std::int64_t low, std::int64_t high, std::int64_t granule = 1) {
  io::extend::access_summary all;
  all.low = low;
  all.high = high;
  all.bytes = high - low;
  all.pieces = 10;
  all.ranks = 3;
  all.granule = granule;
  return all;
}

}  // namespace

TEST_CASE("of many domains a plan shows the first and the last eight, and how many are between",
          "[data_shipping]") {
  io::collective_plan p;
  p.together = true;
  p.window_bytes = 10;
  auto const shown = [&](int domains) {
    p.domains.clear();
    for (int i = 0; i < domains; ++i)
      p.domains.push_back({.begin = 1000 + 10 * i, .end = 1010 + 10 * i, .rank = i});
    std::istringstream lines(to_string(p));
    std::vector<std::string> firsts;  // first words of the lines of domains
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string first, second;
      words >> first >> second;
      if (!first.empty() &&
          (first == "..." || std::isdigit(static_cast<unsigned char>(first[0])) != 0))
        firsts.push_back(first == "..." ? first + second : first);
    }
    return firsts;
  };
  auto const numbers = [](int from, int to) {
    std::vector<std::string> all;
    for (int i = from; i < to; ++i) all.push_back(std::to_string(i));
    return all;
  };
  CHECK(shown(16) == numbers(0, 16));
  std::vector<std::string> cut = numbers(0, 8);
  cut.push_back("...1");
  for (std::string const& n : numbers(9, 17)) cut.push_back(n);
  CHECK(shown(17) == cut);
}

TEST_CASE("every block belongs to one agent, round robin by stripes, whatever a call asks for",
          "[data_shipping]") {
  io::extend::rank_group const ranks{.size = 12, .nodes = 3, .block_bytes = 256 << 10};
  io::data_shipping const policy{.agents = 4};
  CHECK(policy.stripe_for(ranks) == 4 << 20);  // 16 blocks
  CHECK(policy.stripe_for({.size = 1, .nodes = 1, .block_bytes = 512 << 10}) == 8 << 20);
  CHECK(io::data_shipping{.stripe_bytes = 1}.stripe_for(ranks) == 256 << 10);
  CHECK(io::data_shipping{.stripe_bytes = (512 << 10) + 1}.stripe_for(ranks) == 768 << 10);
  CHECK(policy.agents_of(ranks) == 4);
  CHECK(io::data_shipping{.agents = 40}.agents_of(ranks) == 12);
  CHECK(io::data_shipping{.agents_per_node = 2}.agents_of(ranks) == 6);
  std::int64_t const blocks = 16;
  for (std::int64_t b = 0; b < 1000; ++b) {
    CHECK(policy.agent_of(b * ranks.block_bytes, ranks) == b / blocks % 4);
    CHECK(policy.agent_of((b + 1) * ranks.block_bytes - 1, ranks) == b / blocks % 4);
  }
  // Eligible ranks are agents, in their order.
  io::extend::rank_group const few{
      .size = 12, .nodes = 3, .block_bytes = 4096, .eligible = {0, 4, 8, 1}};
  CHECK(io::data_shipping{}.agents_of(few) == 4);
  CHECK(io::data_shipping{}.rank_of(1, few) == 4);
  CHECK(io::data_shipping{}.plan(io::access_kind::read, asking(0, 1 << 20), few).domains[3].rank ==
        1);
  // Agents lie on all nodes, and neighbours in the file on different nodes.
  for (std::int64_t const n : {1, 2, 3, 4, 5, 7, 11, 12}) {
    io::data_shipping const some{.agents = n};
    std::set<int> all;
    for (std::int64_t a = 0; a < n; ++a) {
      all.insert(some.rank_of(a, ranks));
      if (a > 0) CHECK(some.rank_of(a, ranks) / 4 != some.rank_of(a - 1, ranks) / 4);
    }
    CHECK(std::ssize(all) == n);
  }
}

TEST_CASE("the first stripes of a file are dealt over all nodes before a node has a second one",
          "[data_shipping]") {
  io::extend::rank_group const ranks{.size = 256, .nodes = 32, .block_bytes = 256 << 10};
  io::collective_plan const p =
      io::data_shipping{}.plan(io::access_kind::write, asking(0, 32 << 20), ranks);
  REQUIRE(p.domains.size() == 8);  // stripes of 16 blocks
  for (std::size_t i = 0; i < 8; ++i) CHECK(p.domains[i].rank == 8 * static_cast<int>(i));
  // Some nodes have more ranks than others. Each agent must appear once.
  for (std::int64_t const nodes : {2, 3, 5, 31}) {
    std::set<int> all;
    io::extend::rank_group const some{.size = 100, .nodes = nodes};
    std::int64_t const n = io::data_shipping{}.agents_of(some);
    for (std::int64_t a = 0; a < n; ++a) all.insert(io::data_shipping{}.rank_of(a, some));
    CHECK(std::ssize(all) == n);
  }
}

TEST_CASE("windows of agents cover the bytes that are asked for once, each by its agent",
          "[data_shipping][random]") {
  engine random(seed());
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(seed(), round);
    std::int64_t const block = pick(random, 1, 64);
    io::extend::rank_group const ranks{
        .size = pick(random, 1, 9), .nodes = pick(random, 1, 3), .block_bytes = block};
    io::data_shipping const policy{.stripe_bytes = pick(random, 0, 300),
                                   .agents = pick(random, 0, 6),
                                   .window_bytes = pick(random, 1, 400)};
    std::int64_t const granule = pick(random, 1, 6);
    std::int64_t const low = pick(random, 0, 700) * granule,
                       high = low + pick(random, 1, 900) * granule;
    io::collective_plan const p =
        policy.plan(io::access_kind::write, asking(low, high, granule), ranks);
    REQUIRE(p.together);
    std::int64_t const stripe = policy.stripe_for(ranks);
    REQUIRE(stripe % block == 0);
    REQUIRE(p.window_bytes <= stripe);
    REQUIRE(granule % p.granule == 0);
    std::vector<int> covered(static_cast<std::size_t>(high));
    std::int64_t most = 0;
    for (io::extend::file_domain const& d : p.domains) {
      REQUIRE(low <= d.begin);
      REQUIRE(d.end <= high);
      std::int64_t last = -1;
      most = std::max(most, p.rounds_of(d));
      for (std::int64_t k = 0; k < p.rounds_of(d); ++k) {
        io::detail::file_window const w = p.window_of(d, k);
        REQUIRE(w.begin < w.end);
        REQUIRE(w.length() <= p.window_bytes);
        REQUIRE(w.begin > last);
        REQUIRE(w.begin % p.granule == 0);
        REQUIRE(w.begin / stripe == (w.end - 1) / stripe);
        last = w.begin;
        for (std::int64_t b = w.begin; b < w.end; ++b) {
          ++covered[static_cast<std::size_t>(b)];
          REQUIRE(policy.rank_of(policy.agent_of(b, ranks), ranks) == d.rank);
          REQUIRE(p.round_at(d, b) == k);
        }
      }
      // For a byte of another agent, round_at() must give the next window of this domain.
      for (std::int64_t b = d.begin; b < d.end; ++b) {
        std::int64_t const k = p.round_at(d, b);
        REQUIRE(p.window_of(d, k).end > b);
        if (k > 0) REQUIRE(p.window_of(d, k - 1).end <= b);
      }
      CHECK(p.window_of(d, p.rounds_of(d)).length() == 0);
    }
    CHECK(p.rounds() == most);
    CHECK(std::count(covered.begin() + low, covered.end(), 1) == high - low);
  }
}

TEST_CASE("parts of a stream are found window by window, without looking at those that have none",
          "[data_shipping][random]") {
  engine random(seed());
  for (int round = 0; round < 500; ++round) {
    CAPTURE(seed(), round);
    std::vector<std::int64_t> offsets;
    std::int64_t end = pick(random, 0, 500);
    for (std::int64_t i = pick(random, 1, 60); i > 0;
         --i, end += pick(random, 1, 9) * pick(random, 1, 60))
      offsets.push_back(end);
    io::layout const l = io::table(offsets, 1);
    io::extend::rank_group const ranks{.size = 4, .nodes = 1, .block_bytes = 16};
    std::int64_t const from = pick(random, 0, l.size() - 1), to = pick(random, from + 1, l.size());
    io::collective_plan const p =
        io::data_shipping{.stripe_bytes = pick(random, 1, 100),
                          .agents = pick(random, 1, 4),
                          .window_bytes = pick(random, 1, 40)}
            .plan(io::access_kind::read, asking(offsets.front(), offsets.back() + 1), ranks);
    std::int64_t bytes = 0;
    for (io::extend::file_domain const& d : p.domains) {
      io::detail::stream_range const mine{&l, from, to};
      std::map<std::int64_t, std::int64_t> hoped, found;
      for (std::int64_t k = 0; k < p.rounds_of(d); ++k)
        if (auto const part = mine.within(p.window_of(d, k)); !part.empty())
          hoped[k] = part.bytes();
      for_each_part(p, d, mine, 0,
                    [&](std::int64_t k, io::detail::file_window const& w,
                        io::detail::window_part const& part) {
                      CHECK(w.begin == p.window_of(d, k).begin);
                      bytes += found[k] = part.bytes();
                      return true;
                    });
      CHECK(found == hoped);
    }
    CHECK(bytes == to - from);
  }
}

TEST_CASE("a file of almost 2^63 bytes is dealt, too", "[data_shipping]") {
  constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
  io::extend::rank_group const ranks{.size = 4, .nodes = 1, .block_bytes = 4096};
  for (std::int64_t const stripe : {std::int64_t{4096}, std::int64_t{1} << 40, end}) {
    io::collective_plan const p = io::data_shipping{.stripe_bytes = stripe}.plan(
        io::access_kind::write, asking(end - 100'000, end), ranks);
    std::int64_t bytes = 0;
    for (io::extend::file_domain const& d : p.domains)
      for (std::int64_t k = 0; k < p.rounds_of(d); ++k) {
        CHECK(p.window_of(d, k).length() > 0);
        bytes += p.window_of(d, k).length();
      }
    CHECK(bytes == 100'000);
  }
}

TEST_CASE("a plan says who the agents are, and how long their stripes", "[data_shipping]") {
  io::collective_plan const p = io::data_shipping{.stripe_bytes = 8192, .agents = 3}.plan(
      io::access_kind::write, asking(5000, 100'000), {.size = 6, .nodes = 1, .block_bytes = 4096});
  CHECK(to_string(p) ==
        "data_shipping write: 3 agents, 5 rounds, windows of 8192 bytes, every 3rd stripe of 8192 "
        "bytes\n"
        "  3 ranks, 10 pieces in 95000 bytes of the file, 95000 of them wanted\n"
        "    rank        domain from              to        rounds\n"
        "       0              5000          100000             5\n"
        "       2              8192           90112             4\n"
        "       4             16384           98304             4\n");
  CHECK_FALSE(io::data_shipping{}.plan(io::access_kind::read, {}, {}).together);
  io::extend::access_summary twice = asking(0, 100);
  twice.unsorted = 1;
  CHECK_THAT(io::data_shipping{}.plan(io::access_kind::read, twice, {}).reason,
             ContainsSubstring("names bytes twice"));
  CHECK(io::data_shipping{}.key() != io::data_shipping{.sparse = true}.key());
  CHECK(io::data_shipping{}.key() != io::data_shipping{.buffers = 3}.key());
}
