// Lists of domains: equal domains as a rule, compared with cuts that are made one after the other.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/detail/equal_windows.hpp>
#include <argosy/plan/domain_list.hpp>

#include "../support/catch.hpp"
#include "../support/random.hpp"

using argosy::extend::domain_list;
using argosy::extend::equal_domains;
using argosy::extend::file_domain;
using argosy::test::pick;

namespace {

std::vector<file_domain> cut_by_hand(equal_domains const& rule) {
  std::vector<file_domain> all;
  std::int64_t begin = rule.low;
  for (std::int64_t i = 0; i < rule.count; ++i) {
    std::int64_t end = rule.high;
    if (i + 1 < rule.count) {
      std::int64_t cut = rule.low + (rule.high - rule.low) / rule.count * (i + 1);
      cut = cut / rule.block * rule.block;
      end = std::clamp(cut / rule.granule * rule.granule, begin, rule.high);
    }
    all.push_back({begin, end, static_cast<int>(i * rule.ranks / rule.count)});
    begin = end;
  }
  return all;
}

}  // namespace

TEST_CASE("equal domains are cut as one after the other", "[plan][domains]") {
  argosy::test::engine random(20261130);
  for (int trial = 0; trial < 2000; ++trial) {
    equal_domains rule;
    rule.low = pick(random, 0, 5000);
    rule.high = rule.low + pick(random, 1, 100000);
    rule.count = pick(random, 1, 40);
    rule.block = pick(random, 1, 9000);
    rule.granule = pick(random, 1, 16);
    rule.ranks = rule.count + pick(random, 0, 60);
    CAPTURE(rule.low, rule.high, rule.count, rule.block, rule.granule, rule.ranks);
    domain_list const made = rule;
    std::vector<file_domain> const wanted = cut_by_hand(rule);
    REQUIRE(made.size() == wanted.size());
    REQUIRE(std::equal(made.begin(), made.end(), wanted.begin()));
    REQUIRE(made[wanted.size() - 1] == wanted.back());
    REQUIRE(made.front() == wanted.front());
    REQUIRE(made == domain_list(wanted));
    equal_domains other = rule;
    ++other.high;
    REQUIRE_FALSE(made == domain_list(other));
  }
}

TEST_CASE("equal domains are found and counted as by a walk over all", "[plan][domains]") {
  argosy::test::engine random(20261201);
  int counted = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    equal_domains rule;
    rule.low = pick(random, 0, 3000);
    rule.high = rule.low + pick(random, 1, pick(random, 0, 1) != 0 ? 20000 : 300);
    rule.granule = pick(random, 1, 12);
    rule.block =
        pick(random, 1, 3) * (pick(random, 0, 1) != 0 ? rule.granule : pick(random, 1, 40));
    rule.count = pick(random, 1, 40);
    rule.ranks = rule.count + pick(random, 0, 60);
    std::int64_t window = pick(random, 1, 60) * rule.granule;
    if (std::int64_t const both = std::lcm(rule.block, rule.granule); pick(random, 0, 2) != 0)
      window = both * pick(random, 1, 5);
    else if (rule.block % rule.granule == 0)
      window = rule.block / std::gcd(rule.block / rule.granule, pick(random, 1, 3));
    CAPTURE(rule.low, rule.high, rule.count, rule.block, rule.granule, rule.ranks, window);
    std::vector<file_domain> const all = cut_by_hand(rule);

    argosy::collective_plan plan;
    plan.window_bytes = window;
    plan.domains = all;
    std::int64_t most = 0, sum = 0;
    for (file_domain const& d : all) {
      sum += plan.rounds_of(d);
      most = std::max(most, plan.rounds_of(d));
    }
    CHECK(plan.rounds() == most);
    plan.domains = rule;
    CHECK(plan.rounds() == most);
    CHECK(argosy::detail::windows_of(plan).all == sum);
    counted += argosy::detail::windows_of(rule, window) ? 1 : 0;

    for (int i = 0; i < 20; ++i) {
      std::int64_t const offset = i == 0 ? rule.low : pick(random, rule.low, rule.high - 1);
      auto const found = std::find_if(all.begin(), all.end(),
                                      [&](file_domain const& d) { return d.end > offset; });
      REQUIRE(argosy::detail::domain_at(rule, offset) == found - all.begin());
    }
    std::vector<int> ranks;
    std::vector<std::size_t> wanted;
    for (std::int64_t r = pick(random, 0, 3); r < rule.ranks; r += pick(random, 1, 9))
      ranks.push_back(static_cast<int>(r));
    for (std::size_t i = 0; i < all.size(); ++i)
      if (std::find(ranks.begin(), ranks.end(), all[i].rank) != ranks.end()) wanted.push_back(i);
    CHECK(argosy::detail::domains_of(rule, ranks) == wanted);
    CHECK(argosy::detail::domains_of(all, ranks) == wanted);
  }
  CHECK(counted > 1000);  // without a walk
}

TEST_CASE("windows of many domains are counted without overflow", "[plan][domains]") {
  constexpr std::int64_t size = std::int64_t{1} << 62;
  // Domains of 2^45 bytes, each in 2^26 windows of 2^19 bytes and a part of one more.
  equal_domains const rule{1, size + 1, 1 << 17, 1, 1, 1 << 17};
  auto const n = argosy::detail::windows_of(rule, 1 << 19);
  REQUIRE(n);
  CHECK(n->most == (1 << 26) + 1);
  CHECK(n->all == (std::int64_t{1} << 43) + (1 << 17));
  CHECK(argosy::detail::domain_at(rule, size) == (1 << 17) - 1);
}

TEST_CASE("a domain behind equal domains makes a list of them", "[plan][domains]") {
  equal_domains const rule{0, 1000, 3, 1, 1, 9};
  domain_list list = rule;
  std::vector<file_domain> wanted = cut_by_hand(rule);
  wanted.push_back({1000, 1200, 8});
  list.push_back(wanted.back());
  CHECK(list == domain_list(wanted));
  CHECK_FALSE(list == domain_list(rule));
  list.clear();
  CHECK(list.empty());
  CHECK(list == domain_list());
}
