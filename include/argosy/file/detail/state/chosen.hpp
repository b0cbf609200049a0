// The policies that the hints of a file choose.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/file/resolved_hints.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy::detail {

// Made when hints or views change, not by each call: calls share what is here.
struct chosen {
  // `on`: where the file lies; hints come before its prices. `merges`: of a rank by itself.
  explicit chosen(resolved_hints const& h, int ranks = 1, storage const& on = {},
                  bool merges = true);

  argosy::sieving sieving;              // with all that hints say of windows and prices
  argosy::data_shipping data_shipping;  // with all they say of agents
  any_policy alone;                     // of a rank by itself
  any_policy reading, writing;          // of all ranks together; empty: each by itself
  bool ships = false;                   // calls without a policy of their own go to agents
  bool one_stretch_is_one_call = true;  // of a rank by itself
  bool one_rank_goes_alone = true;      // in collective calls: nobody asked for more

  std::uint64_t reading_key = 0, writing_key = 0;  // of `reading` and `writing`

  any_policy const& together(access_kind kind) const {
    return kind == access_kind::read ? reading : writing;
  }
  std::uint64_t key(access_kind kind) const {
    return kind == access_kind::read ? reading_key : writing_key;
  }
  // Of whoever owns its windows: nobody waits for its locks.
  argosy::sieving sieving_of_owner() const {
    argosy::sieving s = sieving;
    s.sharers = 1;
    s.merges = true;
    return s;
  }
};

// Of two_phase, whatever hints ask for.
inline constexpr std::int64_t most_window_bytes = 1 << 30;

// The policy that a call was given, with what ARGOSY_HINTS_OVERRIDE says of it; empty: the hints
// choose. `together`: of all ranks of a collective call, else of one rank.
any_policy overridden(any_policy const& given, resolved_hints const& h, access_kind kind,
                      bool together);

}  // namespace argosy::detail
