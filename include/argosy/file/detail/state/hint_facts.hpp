// The facts of the last call that decide the status of hints, and the texts for them.
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

// The plan of a collective call.
struct plan_facts {
  bool together;
  bool weighed;  // compared with separate accesses of the ranks
  bool shipped;  // if not together: each rank ships its data to agents
  std::int64_t aggregators;
  std::int64_t window_bytes;  // 0: the policy was not two_phase
};

// Local. Only a few words, so that every call can store them.
struct hint_facts {
  std::optional<operation> call = {};
  // name of the policy given to the call; lives as long as the program
  std::string_view policy = {};
  // that policy, if it is one of the library
  std::optional<resolved_hints::policy_name> library_policy = {};
  bool collective = false;

  access_kind kind() const noexcept { return call ? row_of(*call).kind : access_kind::read; }
  std::string_view call_name() const noexcept { return call ? row_of(*call).name : ""; }

  std::optional<plan_facts> plan = {};  // made by a blocking collective call

  // The storage has a price for moving blocks between ranks, so `automatic` may ship.
  bool may_ship = false;

  // stripes of the file; 0: the file system does not report them
  std::int64_t stripe_bytes = 0;
  std::int64_t stripe_count = 0;

  // cb_config_list, known from the first collective call on. hosts_met has a bit for each of the
  // first 64 entries; it is set if the entry names a host of this job.
  bool hosts_known = false;
  std::int64_t hosts_allow = 0;  // number of ranks that may be aggregators
  std::uint64_t hosts_met = 0;
};

// Returns the name if the policy is one of the library; nothing for policies of the program, or for
// none.
std::optional<resolved_hints::policy_name> library_policy(any_policy const& policy) noexcept;

// Returns the hints with their known effects.
file_hints with_effects(file_hints h, hint_facts const& last);

// Returns h.same_on_all(). After a tab, each line has the variable and the file that gave the
// value; nothing if the program gave it.
std::string lines_with_sources(file_hints const& h);

}  // namespace argosy::detail
