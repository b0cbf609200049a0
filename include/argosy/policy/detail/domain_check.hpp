// Checks the plan of a collective policy of the program, before ranks rely on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/invalid_plan.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/policy/collective_policy.hpp>

namespace argosy::detail {

// Throws invalid_plan for a wrong plan. look() checks everything that all ranks see alike, covers()
// the access of one rank.
class domain_check {
 public:
  domain_check(std::string policy, collective_plan const& p)
      : policy_(std::move(policy)), plan_(p) {}

  // Checks the plan. O(domains x log). Precondition: some rank requests bytes.
  void look(access_kind kind, access_summary const& all, rank_group const& ranks) const {
    if (plan_.kind != kind)
      refuse(std::string("the plan is one of a ") + name_of(plan_.kind) + ", the call is a " +
             name_of(kind));
    if (!plan_.together) return;
    if (all.unsorted != 0)
      refuse(
          "ranks are together, but a view names bytes twice or out of order, so it has no windows");
    std::int64_t const most =
        std::numeric_limits<std::int64_t>::max() / 64 / (ranks.size + 1) / (ranks.size + 1);
    if (plan_.window_bytes < 1 || plan_.window_bytes > most)
      refuse("window_bytes is " + number(plan_.window_bytes) + "; from 1 to " + number(most) +
             " can be had");
    if (plan_.layers < 1 || plan_.layers > 2)
      refuse("layers is " + number(plan_.layers) + "; there are one or two");
    if (plan_.max_ranges < 0) refuse("max_ranges is " + number(plan_.max_ranges));
    if (plan_.granule < 1 || all.granule % plan_.granule != 0)
      refuse("granule is " + number(plan_.granule) + "; it must divide " + number(all.granule) +
             ", as all offsets and lengths do");
    aligned(plan_.window_bytes, "window_bytes");
    if (plan_.domains.empty()) refuse("there are no domains");
    std::set<int> owners;
    for (std::size_t i = 0; i < plan_.domains.size(); ++i) {
      file_domain const& d = plan_.domains[i];
      std::string const name = "domain " + number(static_cast<std::int64_t>(i));
      if (d.rank < 0 || d.rank >= ranks.size)
        refuse(name + " belongs to rank " + number(d.rank) + "; there are " + number(ranks.size) +
               " ranks");
      if (!owners.insert(d.rank).second)
        refuse(name + " belongs to rank " + number(d.rank) + ", which has one already");
      if (d.begin < 0 || d.begin > d.end) refuse(name + " is " + text(d));
      if (d.stripe_bytes != plan_.domains[0].stripe_bytes ||
          d.dealt_to != plan_.domains[0].dealt_to)
        refuse(name + " has other stripes than domain 0");
      if (d.stripe_bytes < 0 || d.dealt_to < 1)
        refuse(name + " has stripes of " + number(d.stripe_bytes) + " bytes, dealt to " +
               number(d.dealt_to));
      if (d.stripe_bytes > 0) aligned(d.stripe_bytes, "stripe_bytes");
      if (d.begin == d.end) continue;
      aligned(d.begin, "the begin of " + name);
      aligned(d.end, "the end of " + name);
      // Without this check ranks would carry out windows without any requested byte, however many.
      std::int64_t const unit = std::max(plan_.window_bytes, d.stripe_bytes),
                         last = (all.high - 1) / unit;
      if (d.begin / unit < all.low / unit || (d.end - 1) / unit > last)
        refuse(name + " is " + text(d) + ", beyond what ranks ask for, [" + number(all.low) + ", " +
               number(all.high) + ")");
    }
    plan_.domains[0].striped() ? stripes(all) : order();
  }

  // Checks that every byte of this access is in a domain. O(domains x depth).
  void covers(access const& mine) const {
    if (!plan_.together || mine.bytes == 0 || plan_.domains[0].striped()) return;
    std::int64_t from = mine.position, end = 0;
    auto const at = [&](std::int64_t offset) {
      return std::clamp(mine.file.bytes_before(offset), mine.position, mine.end());
    };
    auto const none_between = [&](std::int64_t to) {
      if (from < to)
        refuse("byte " + number(cursor(mine.file, from).current().offset) +
               " of the file, which this rank asks for, is in no domain");
    };
    for (file_domain const& d : plan_.domains) {
      if (d.begin == d.end) continue;
      if (d.begin > end) none_between(at(d.begin));
      from = at(d.end);
      end = d.end;
    }
    none_between(mine.end());
  }

 private:
  static std::string number(std::int64_t n) { return std::to_string(n); }
  static std::string text(file_domain const& d) {
    return "[" + number(d.begin) + ", " + number(d.end) + ")";
  }
  static char const* name_of(access_kind kind) {
    return kind == access_kind::read ? "read" : "write";
  }

  void aligned(std::int64_t n, std::string const& what) const {
    if (n % plan_.granule != 0)
      refuse(what + " is " + number(n) + ", no multiple of the granule, " + number(plan_.granule));
  }
  void order() const {
    std::int64_t end = 0;
    for (std::size_t i = 0; i < plan_.domains.size(); ++i) {
      file_domain const& d = plan_.domains[i];
      if (d.begin < end && d.begin < d.end)
        refuse("domain " + number(static_cast<std::int64_t>(i)) + " begins at " + number(d.begin) +
               ", before the one before it ends, at " + number(end));
      end = std::max(end, d.end);
    }
  }
  // Checks that each stripe that may have requested bytes belongs to one domain.
  void stripes(access_summary const& all) const {
    std::int64_t const stripe = plan_.domains[0].stripe_bytes, n = plan_.domains[0].dealt_to;
    std::map<std::int64_t, std::size_t> owner;  // by the number of the first stripe, modulo n
    for (std::size_t i = 0; i < plan_.domains.size(); ++i) {
      file_domain const& d = plan_.domains[i];
      if (d.begin == d.end) continue;
      std::string const name = "domain " + number(static_cast<std::int64_t>(i));
      auto const [other, is_new] = owner.emplace(d.begin / stripe % n, i);
      if (!is_new)
        refuse(name + " has the stripes of domain " +
               number(static_cast<std::int64_t>(other->second)));
      if ((d.end - 1) / stripe % n != other->first)
        refuse(name + " ends in a stripe that is not its own");
    }
    std::int64_t const first = all.low / stripe, last = (all.high - 1) / stripe;
    for (std::int64_t s = first; s <= last && s < first + n; ++s) {
      auto const found = owner.find(s % n);
      std::int64_t const begin = std::max(all.low, s * stripe), latest = s + (last - s) / n * n;
      std::int64_t const end = latest == last ? all.high : (latest + 1) * stripe;
      if (found == owner.end()) refuse("byte " + number(begin) + " of the file is in no domain");
      file_domain const& d = plan_.domains[found->second];
      if (d.begin > begin || d.end < end)
        refuse("domain " + number(static_cast<std::int64_t>(found->second)) + " is " + text(d) +
               "; its stripes between [" + number(begin) + ", " + number(end) +
               ") are all its own");
    }
  }
  [[noreturn]] void refuse(std::string const& what) const {
    throw invalid_plan("policy '" + policy_ + "': " + what);
  }

  std::string policy_;
  collective_plan const& plan_;
};

// Returns a hash that is equal for plans that ranks may carry out together. It has everything
// except texts and the hints to the file system.
inline std::uint64_t key_of_plan(collective_plan const& p) {
  std::uint64_t key = key_of(static_cast<int>(p.kind), p.together, p.window_bytes, p.granule,
                             p.sparse, p.layers, p.overlap, p.domains.size());
  for (file_domain const& d : p.domains)
    key = key_of(key, d.begin, d.end, d.rank, d.stripe_bytes, d.dealt_to);
  return key;
}
// Returns the plan as text, which ranks exchange if their plans differ. Each line has a name of one
// word, and a value.
inline std::string lines_of_plan(collective_plan const& p) {
  constexpr std::size_t most = 64;  // domains that are listed
  std::string lines = std::string("carried_out ") + (p.together ? "together" : "apart") +
                      "\nwindow_bytes " + std::to_string(p.window_bytes) + "\ngranule " +
                      std::to_string(p.granule) + "\nsparse " + (p.sparse ? "yes" : "no") +
                      "\nlayers " + std::to_string(p.layers) + "\noverlap " +
                      (p.overlap ? "yes" : "no") + "\ndomains " + std::to_string(p.domains.size());
  for (std::size_t i = 0; i < std::min(most, p.domains.size()); ++i) {
    file_domain const& d = p.domains[i];
    lines += "\ndomain_" + std::to_string(i) + " [" + std::to_string(d.begin) + ", " +
             std::to_string(d.end) + ") by rank " + std::to_string(d.rank);
    if (d.striped() || d.dealt_to != 1)
      lines += " in stripes of " + std::to_string(d.stripe_bytes) + ", one in " +
               std::to_string(d.dealt_to);
  }
  return lines;
}

}  // namespace argosy::detail
