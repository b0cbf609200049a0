// Implements chosen.hpp: the policies that hints choose.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/chosen.hpp>

#include <algorithm>
#include <optional>
#include <type_traits>

#include <argosy/policy/automatic.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

#include "file/hints/table.hpp"

namespace argosy::detail {
namespace {

using policies = resolved_hints::policy_name;

sieving_mode sieve_of(tristate t) {
  return t == tristate::enable    ? sieving_mode::always
         : t == tristate::disable ? sieving_mode::never
                                  : sieving_mode::automatic;
}

bool is_price(hint_row const& row) {
  hint_group const group = group_of(row);
  return group == hint_group::prices_alone || group == hint_group::prices_together;
}

bool given_prices(resolved_hints const& h) {
  return std::ranges::any_of(hint_rows(), [&](hint_row const& row) {
    auto const* const price = std::get_if<std::optional<double> resolved_hints::*>(&row.value);
    return price && h.*(*price);
  });
}

template <class T>
void assign(T& member, T value) {
  member = value;
}
void assign(double& member, std::optional<double> value) { member = value.value_or(member); }
void assign(sieving_mode& member, tristate value) { member = sieve_of(value); }

// Returns the policy with its members set by hints. `only_overriding`: only by the hints of
// ARGOSY_HINTS_OVERRIDE.
template <class Policy>
Policy with_hints(Policy p, resolved_hints const& h, bool only_overriding = false) {
  auto const set = [&](auto member, auto value) {
    if constexpr (requires { assign(p.*member, h.*value); }) assign(p.*member, h.*value);
  };
  for (hint_row const& row : hint_rows()) {
    if (only_overriding && !h.overrides(row.info.name)) continue;
    std::visit(set, row.sets, row.value);
    std::visit(set, row.sets_too, row.value);
  }
  return p;
}

sieving sieving_with(sieving s, resolved_hints const& h, bool only_overriding = false) {
  s = with_hints(s, h, only_overriding);
  s.prices = with_hints(s.prices, h, only_overriding);
  // The hint is an upper limit. It is 4 MiB by default, as in ROMIO.
  if (!only_overriding || h.overrides("ind_rd_buffer_size"))
    s.read_window_bytes = std::min(s.read_window_bytes, sieving().read_window_bytes);
  return s;
}

// Windows and buffers depend on each other: if no buffer size was given, it follows from the
// window.
two_phase two_phase_of(resolved_hints const& h) {
  two_phase t = with_hints(two_phase(), h);
  t.window_bytes = std::min(h.window_bytes, most_window_bytes);
  t.buffer_bytes =
      h.cb_buffer_given ? h.cb_buffer_bytes : std::max(h.cb_buffer_bytes, 2 * t.window_bytes);
  return t;
}

any_policy together_of(resolved_hints const& h, tristate asked, chosen const& c,
                       storage const& on) {
  if (!facts_of(h.policy).is_of_all_ranks) return {};
  if (asked == tristate::disable) return {};
  if (h.policy == policies::data_shipping) return c.data_shipping;
  two_phase const together = two_phase_of(h);
  if (h.policy == policies::two_phase || asked == tristate::enable) return together;
  if (h.largeblock_io) return {};
  if (h.ships()) return c.data_shipping;
  return automatic{.two_phase = together,
                   .sieving = c.sieving,
                   .data_shipping = c.data_shipping,
                   .exchange = c.exchange,
                   .storage = on.name,
                   .prices_from_hints = given_prices(h)};
}

// Changes the members of a policy that a call was given, by the hints of ARGOSY_HINTS_OVERRIDE.

void override_in(independent&, resolved_hints const&) {}  // no hint sets a member of `independent`

void override_in(sieving& p, resolved_hints const& h) { p = sieving_with(p, h, true); }

void override_in(data_shipping& p, resolved_hints const& h) { p = with_hints(p, h, true); }

void override_in(two_phase& p, resolved_hints const& h) {
  p = with_hints(p, h, true);
  if (!h.overrides("cb_buffer_size") && !h.overrides("argosy_window_size")) return;
  two_phase const told = two_phase_of(h);
  p.window_bytes = told.window_bytes;
  p.buffer_bytes = told.buffer_bytes;
}

void override_in(automatic& p, resolved_hints const& h) {
  override_in(p.two_phase, h);
  override_in(p.sieving, h);
  override_in(p.data_shipping, h);
  p.exchange = with_hints(p.exchange, h, true);
  if (std::ranges::any_of(hint_rows(), [&](hint_row const& row) {
        return is_price(row) && h.overrides(row.info.name);
      }))
    p.prices_from_hints = true;
}

any_policy with_overrides(any_policy const& given, resolved_hints const& h) {
  any_policy changed = given;
  library_policies::for_each([&]<class P>(std::type_identity<P>) {
    P const* const found = given.target<P>();
    if (!found) return;
    P mine = *found;
    override_in(mine, h);
    if (!(mine == *found)) changed = mine;
  });
  return changed;
}

}  // namespace

chosen::chosen(resolved_hints const& h, int ranks, storage const& on, bool merges)
    : sieving(sieving_with({.prices = on.prices, .sharers = ranks, .merges = merges}, h)),
      exchange(with_hints(on.exchange, h)),
      data_shipping(with_hints(argosy::data_shipping(), h)),
      alone(h.policy == policies::independent ? any_policy(independent{}) : any_policy(sieving)),
      reading(together_of(h, h.cb_read, *this, on)),
      writing(together_of(h, h.cb_write, *this, on)),
      ships(h.ships()),
      one_stretch_is_one_call(!ships && facts_of(h.policy).one_stretch_is_one_call),
      one_rank_goes_alone((!reading.has_value() || reading.target<automatic>()) &&
                          (!writing.has_value() || writing.target<automatic>())),
      reading_key(reading.has_value() ? reading.key() : 0),
      writing_key(writing.has_value() ? writing.key() : 0) {}

any_policy overridden(any_policy const& given, resolved_hints const& h, access_kind kind,
                      bool together) {
  if (!given.has_value() || h.overriding.empty()) return given;
  // A hint that chooses the policy replaces the one that was given.
  if (overrides_policy(h, kind, together)) return {};
  return with_overrides(given, h);
}

}  // namespace argosy::detail
