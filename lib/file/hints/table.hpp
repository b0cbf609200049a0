// The table of hints. Each hint has a row with its properties and the members that hold it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <argosy/file/hint_info.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/file/resolved_hints.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/detail/policy_traits.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/storage.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy::detail {

// A pointer to a member of one of these types, or to none.
template <class Owner, class... Types>
using one_member = std::variant<std::monostate, Types Owner::*...>;

using given_member =
    one_member<hints, std::optional<bool>, std::optional<std::int64_t>, std::optional<double>,
               std::optional<unsigned>, std::optional<std::string>, std::optional<tristate>,
               std::optional<largeblock>>;
using value_member =
    one_member<resolved_hints, bool, std::int64_t, std::optional<double>, std::optional<unsigned>,
               std::vector<host_limit>, tristate, resolved_hints::policy_name,
               resolved_hints::sync_error_life, resolved_hints::progress_time>;
// Groups of hints; hints of a group have or lose their effect together.
enum class hint_group : std::uint8_t {
  none,
  choosing,  // these choose the policy
  for_two_phase,
  for_aggregators,  // also for agents
  for_sieving,
  for_shipping,
  prices_alone,     // prices of a rank's separate access
  prices_together,  // prices of messages, of blocks that move between ranks, and of crowds
};

// The member of a policy that a hint sets. If it sets none, its group.
using policy_member =
    std::variant<hint_group, std::int64_t two_phase::*, std::int64_t sieving::*,
                 sieving_mode sieving::*, std::int64_t data_shipping::*, bool data_shipping::*,
                 double prices::*, double exchange_prices::*>;

struct hint_row {
  hint_info info;
  given_member given = {};  // the member by which a program gives the hint
  value_member value = {};  // the member that has its decided value
  policy_member sets = {}, sets_too = {};
  bool told_if_given = false;  // giving the default is different from giving nothing
};

// Returns the rows in the order of known_hints().
std::span<hint_row const> hint_rows() noexcept;
hint_group group_of(hint_row const& row) noexcept;
// Returns the row of a hint; null if the name is unknown.
hint_row const* find_row(std::string_view name) noexcept;

// The value of argosy_policy for a policy. The list of policies has the order of the enum.
template <class P>
constexpr auto word_for = static_cast<resolved_hints::policy_name>(library_policies::place_of<P>());
static_assert(word_for<automatic> == resolved_hints::policy_name::automatic);
static_assert(word_for<independent> == resolved_hints::policy_name::independent);
static_assert(word_for<sieving> == resolved_hints::policy_name::sieving);
static_assert(word_for<two_phase> == resolved_hints::policy_name::two_phase);
static_assert(word_for<data_shipping> == resolved_hints::policy_name::data_shipping);

constexpr policy_facts const& facts_of(resolved_hints::policy_name policy) noexcept {
  return policy_table[static_cast<std::size_t>(policy)];
}
// Returns true if hints of the group set a member of the policy, or of one of its parts.
bool sets_member(resolved_hints::policy_name policy, hint_group group);

// Returns true if ARGOSY_HINTS_OVERRIDE chooses the policy of some calls.
bool overrides_policy(resolved_hints const& h);
// Returns true if ARGOSY_HINTS_OVERRIDE chooses the policy of such a call, even if the call was
// given one.
bool overrides_policy(resolved_hints const& h, access_kind kind, bool together);
// Returns true if this hint, one of the group `choosing`, affects the policy of such a call.
bool chooses(std::string_view name, access_kind kind, bool together);

// in the order of the enum
inline constexpr std::string_view toggle_words = "automatic,enable,disable";

// Returns one of the words of a list with commas.
constexpr std::string_view word_at(std::string_view words, std::size_t which) {
  for (; which > 0; --which) words.remove_prefix(words.find(',') + 1);
  return words.substr(0, words.find(','));
}

}  // namespace argosy::detail
