// automatic: prices the candidates of a collective call, and takes the cheapest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy {

// What moving data between ranks costs, in nanoseconds.
struct exchange_prices {
  double round_ns = 20000;  // waiting for each other, once a round
  double byte_ns = 0.25;    // a byte into or out of staging memory
  double piece_ns = 3;      // finding its place
  friend bool operator==(exchange_prices const&, exchange_prices const&) = default;
};

struct automatic {
  static constexpr std::string_view name = "automatic";
  argosy::two_phase two_phase = {};
  argosy::sieving sieving = {};  // of ranks that go alone
  exchange_prices exchange = {};

  collective_plan plan(access_kind kind, access_summary const& all, rank_group const& ranks) const {
    collective_plan p = two_phase.plan(kind, all, ranks);
    if (!p.together) return p;
    double const together = together_ns(kind, all, p), alone = alone_ns(kind, all);
    std::string const prices = std::to_string(static_cast<std::int64_t>(together / 1000)) + " us, alone " +
                               std::to_string(static_cast<std::int64_t>(alone / 1000)) + " us";
    p.together = together < alone;
    p.policy = p.together ? argosy::two_phase::name : argosy::sieving::name;
    p.reason +=
        p.together ? "; together takes about " + prices : "; each by itself: together would take about " + prices;
    if (!p.together) p.domains.clear();
    return p;
  }
  // How a rank goes alone is its own affair, what it costs is not.
  std::uint64_t key() const {
    return key_of(two_phase.key(), sieving.prices.call_ns, sieving.prices.write_call_ns, sieving.prices.lock_ns,
                  sieving.prices.byte_ns, sieving.prices.piece_ns, exchange.round_ns, exchange.byte_ns,
                  exchange.piece_ns);
  }
  friend bool operator==(automatic const&, automatic const&) = default;

 private:
  // Ranks that write into each other's windows wait for each other's locks.
  double alone_ns(access_kind kind, access_summary const& all) const {
    bool const interleaved = all.spans > all.span() + all.span() / 2 && all.pieces > all.ranks;
    return static_cast<double>(kind == access_kind::write && interleaved ? all.alone_sum_ns : all.alone_ns);
  }
  double together_ns(access_kind kind, access_summary const& all, collective_plan const& p) const {
    auto const n = static_cast<double>(p.domains.size());
    double const accessed = static_cast<double>(all.span()) / n * sieving.prices.byte_ns +
                            static_cast<double>(p.rounds()) *
                                (kind == access_kind::read ? sieving.prices.call_ns : sieving.prices.write_call_ns);
    double const moved = static_cast<double>(all.most_bytes) * exchange.byte_ns +
                         static_cast<double>(all.most_pieces) * exchange.piece_ns;
    return accessed + moved + static_cast<double>(p.rounds() + 1) * exchange.round_ns;
  }
};
static_assert(collective_policy<automatic>);

}  // namespace argosy
