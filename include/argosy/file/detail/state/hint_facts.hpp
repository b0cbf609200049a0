// What the last call made of the hints, as far as it concerns them; and what is said of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <argosy/file/detail/call/operation.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/resolved_hints.hpp>
#include <argosy/plan/window.hpp>
#include <argosy/policy/any_policy.hpp>

namespace argosy::detail {

// Local; a few words, so that every call can leave them.
struct hint_facts {
  std::optional<operation> call = {};
  std::string_view policy = {};  // that it was given: its name, which lives as long as the program
  std::optional<resolved_hints::policy_name> library_policy = {};  // the same, if it is one
  bool collective = false;

  access_kind kind() const noexcept { return call ? row_of(*call).kind : access_kind::read; }
  std::string_view call_name() const noexcept { return call ? row_of(*call).name : ""; }

  // Of the plan of a collective call that is not in the background.
  bool planned = false;
  bool together = false;
  bool weighed = false;  // against each rank by itself, which takes less time
  bool shipped = false;  // not together, but each rank by itself to agents
  std::int64_t aggregators = 0;
  std::int64_t window_bytes = 0;  // 0: they were not those of two_phase

  // The file lies where handing blocks from rank to rank has a price: `automatic` may ship.
  bool may_ship = false;

  // Stripes of the file, where its file system tells; 0: it does not.
  std::int64_t stripe_bytes = 0;
  std::int64_t stripe_count = 0;

  // Of cb_config_list, from the first collective call on: a bit for each of its first 64 entries
  // that names a host of this job.
  bool hosts_known = false;
  std::int64_t hosts_allow = 0;  // ranks that may be aggregators
  std::uint64_t hosts_met = 0;
};

// Returns which policy of the library it is; nothing for policies of the program, or for none.
std::optional<resolved_hints::policy_name> library_policy(any_policy const& policy) noexcept;

// The hints with what is known of their effect.
file_hints with_effects(file_hints h, hint_facts const& last);

// h.same_on_all(), and behind a tab in each line which variable and file the value is from; nothing
// behind what the program gave.
std::string lines_with_sources(file_hints const& h);

}  // namespace argosy::detail
