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

// Made when hints or views change, not for each call. Calls refer to the policies here.
struct chosen {
  // `on`: the storage of the file, whose prices are used unless hints give others. `merges`: a rank
  // that accesses the file separately may merge.
  explicit chosen(resolved_hints const& h, int ranks = 1, storage const& on = {},
                  bool merges = true);

  argosy::sieving sieving;              // with the hints on windows and prices
  exchange_prices exchange;             // with the hints on prices
  argosy::data_shipping data_shipping;  // with the hints on agents
  any_policy alone;                     // for a rank that accesses the file separately
  any_policy reading, writing;          // for all ranks together; empty: each rank separately
  bool ships = false;                   // calls without a policy of their own go to agents
  bool one_stretch_is_one_call = true;  // a rank accesses one contiguous range by one call
  bool one_rank_goes_alone =
      true;  // no hint keeps the collective calls of a single rank from being local

  std::uint64_t reading_key = 0, writing_key = 0;  // keys of `reading` and `writing`

  any_policy const& together(access_kind kind) const {
    return kind == access_kind::read ? reading : writing;
  }
  std::uint64_t key(access_kind kind) const {
    return kind == access_kind::read ? reading_key : writing_key;
  }
  // Returns the policy of an aggregator or agent. It is the only writer of its windows, so it never
  // waits for a lock.
  argosy::sieving sieving_of_owner() const {
    argosy::sieving s = sieving;
    s.sharers = 1;
    s.merges = true;
    return s;
  }
};

// The limit for windows of two_phase, even if hints ask for more.
inline constexpr std::int64_t most_window_bytes = 1 << 30;

// Returns the policy that a call was given, changed by ARGOSY_HINTS_OVERRIDE; empty: the hints
// choose. `together`: the policy is for all ranks of a collective call, not for one rank.
any_policy overridden(any_policy const& given, resolved_hints const& h, access_kind kind,
                      bool together);

}  // namespace argosy::detail
