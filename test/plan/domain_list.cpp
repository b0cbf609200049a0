// Lists of domains: equal domains as a rule, compared with cuts that are made one after the other.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <vector>

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
