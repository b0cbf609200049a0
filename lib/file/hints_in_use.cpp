// Implements hints_in_use.hpp and last_call.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/hints_in_use.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include <argosy/file/detail/call/job.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/data_shipping.hpp>

namespace argosy::detail {

void last_call::note(call const& c, bool collective) noexcept {
  any_policy const& given = c.policy();
  int const alone = collective || given.has_value() ? none_alone : static_cast<int>(c.what);
  if (alone != none_alone && noted_alone_.load(std::memory_order_relaxed) == alone)
    return;                       // unchanged
  if (!lock_.try_lock()) return;  // if calls are concurrent, one of them is the last
  facts_.call = c.what;
  facts_.collective = collective;
  facts_.plan.reset();
  facts_.policy = given.has_value() ? given.name() : std::string_view();
  facts_.library_policy = library_policy(given);
  noted_alone_.store(alone, std::memory_order_relaxed);
  lock_.unlock();
}

void hints_in_use::follow(file_hints h, int ranks, bool merges) {
  chosen next(h.values(), ranks, on_, merges);
  if (h.values().cb_config_list != hints_.values().cb_config_list) hosts_allow_ = -1;
  hints_ = std::move(h);
  choice_ = std::move(next);
}

void hints_in_use::lies_on(storage s, int ranks, bool merges) {
  on_ = std::move(s);
  choose_again(ranks, merges);
}

file_hints const& hints_in_use::told() {
  hint_facts facts = last_.facts();
  facts.may_ship = on_.exchange.block_ns > 0;
  facts.stripe_bytes = on_.stripe_bytes;
  facts.stripe_count = on_.stripe_count;
  facts.hosts_allow = hosts_allow_;
  facts.hosts_known = facts.hosts_allow >= 0;
  facts.hosts_met = hosts_met_;
  return told_.set(with_effects(hints_, facts));
}

void hints_in_use::choose(access_kind kind, any_policy const& given, job& t) const {
  resolved_hints const& h = hints_.values();
  if (h.overriding.empty())
    choose(kind, given, given, t);
  else
    choose(kind, overridden(given, h, kind, false), overridden(given, h, kind, true), t);
}

void hints_in_use::choose(access_kind kind, any_policy const& alone, any_policy const& together,
                          job& t) const {
  t.by.policy = alone.has_value() && !alone.is_collective() ? alone : choice_.alone;
  if (!together.has_value())
    t.by.together = choice_.together(kind);
  else if (together.is_collective())
    t.by.together = together;
  t.by.given_together = together.has_value();
  data_shipping const* const shipped = alone.has_value() ? alone.target<data_shipping>() : nullptr;
  if (shipped)
    t.by.shipped = *shipped;
  else if (!alone.has_value() && choice_.ships)
    t.by.shipped = choice_.data_shipping;
}

std::string hints_in_use::on_prices_of(any_policy const& given, bool weighed) const {
  automatic const* const own = given.target<automatic>();
  if (!own || !weighed || own->storage == on_.name) return {};
  return " (of the policy that the program gave; what ranks take alone by those of " + on_.name +
         ")";
}

namespace {

bool names(host_limit const& l, std::string const& host) {
  return l.host == host || l.host == host.substr(0, host.find('.'));
}

}  // namespace

std::uint64_t hints_in_use::hosts_met(std::string const& host) const {
  auto const& list = hints_.values().cb_config_list;
  std::uint64_t met = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 64); ++i)
    if (names(list[i], host)) met |= std::uint64_t{1} << i;
  return met;
}

bool hints_in_use::may_aggregate(int place_in_node, std::string const& host) const {
  for (host_limit const& l : hints_.values().cb_config_list)
    if (l.host == "*" || names(l, host)) return l.most < 0 || place_in_node < l.most;
  return hints_.values().cb_config_list.empty();
}

}  // namespace argosy::detail
