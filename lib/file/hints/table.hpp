// The table of hints: a row for each says what is known of it, and where its value is.
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
               std::optional<unsigned>, std::optional<std::string>, std::optional<toggle>,
               std::optional<largeblock>>;
using value_member =
    one_member<resolved_hints, bool, std::int64_t, std::optional<double>, std::optional<unsigned>,
               std::vector<host_limit>, toggle, resolved_hints::policy_name,
               resolved_hints::sync_error_life, resolved_hints::progress_time>;
// Hints of a group share their fate.
enum class hint_group : std::uint8_t {
  none,
  choosing,  // the policy
  for_two_phase,
  for_aggregators,  // and for agents
  for_sieving,
  for_shipping,
  prices_alone,     // of a rank by itself
  prices_together,  // of messages, and of blocks that go from rank to rank
};

// The member of a policy that a hint sets; if it sets none, the group that it belongs to.
using policy_member =
    std::variant<hint_group, std::int64_t two_phase::*, std::int64_t sieving::*, sieve sieving::*,
                 std::int64_t data_shipping::*, bool data_shipping::*, double prices::*,
                 double exchange_prices::*>;

struct hint_row {
  hint_info info;
  given_member given = {};  // where a program gives it
  value_member value = {};  // where its value is decided
  policy_member sets = {}, sets_too = {};
  bool told_if_given = false;  // ranks that give its default differ from those that give nothing
};

// Returns the rows in the order of known_hints().
std::span<hint_row const> hint_rows() noexcept;
hint_group group_of(hint_row const& row) noexcept;
// Null if the name is unknown.
hint_row const* find_row(std::string_view name) noexcept;

// The word of argosy_policy for a policy: the list of policies has the order of the enum.
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
// Returns true if it chooses that of such a call, whatever policy the call was given.
bool overrides_policy(resolved_hints const& h, access_kind kind, bool together);
// Returns true if this hint, one of the group `choosing`, has a say in such a call.
bool chooses(std::string_view name, access_kind kind, bool together);

inline constexpr std::string_view toggle_words = "automatic,enable,disable";  // as in the enum

// Returns one of the words of a list with commas.
constexpr std::string_view word_at(std::string_view words, std::size_t which) {
  for (; which > 0; --which) words.remove_prefix(words.find(',') + 1);
  return words.substr(0, words.find(','));
}

}  // namespace argosy::detail
