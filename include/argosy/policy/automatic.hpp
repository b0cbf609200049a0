// automatic: estimates the cost of the candidates of a collective call, and chooses the cheapest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/plan/reason_text.hpp>
#include <argosy/policy/collective_policy.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/detail/reasons.hpp>
#include <argosy/policy/detail/whole.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/storage.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy {

struct automatic {
  static constexpr std::string_view name = "automatic";
  argosy::two_phase two_phase = {};
  argosy::sieving sieving = {};  // for separate access
  argosy::data_shipping data_shipping = {};
  extend::exchange_prices exchange = {};
  // the storage that the prices belong to, for the reason
  std::string storage = argosy::extend::storage().name;
  bool prices_from_hints = false;  // some of them

  constexpr collective_plan plan(access_kind kind, extend::access_summary const& all,
                                 extend::rank_group const& ranks) const {
    if (auto why = too_small(kind, all, ranks))
      return {.policy = std::string(argosy::sieving::name),
              .reason = *std::move(why),
              .kind = kind,
              .weighed = true};
    collective_plan p = two_phase.plan(kind, all, ranks);
    choose(kind, all, ranks, p, false);
    return p;
  }
  constexpr collective_plan plan(access_kind kind, extend::access_summary const& all,
                                 extend::rank_group const& ranks,
                                 detail::access_histogram const& where) const {
    collective_plan p = two_phase.plan(kind, all, ranks, where);
    choose(kind, all, ranks, p, true);
    return p;
  }
  // Returns the reason for separate access if that takes no longer than an exchange without data.
  // The prices decide it, wherever the data lies, without a plan of the exchange. The text is made
  // only if it is read.
  constexpr std::optional<extend::reason_text> too_small(access_kind kind,
                                                         extend::access_summary const& all,
                                                         extend::rank_group const& ranks) const {
    if (all.empty() || all.unsorted != 0 || exchange.block_ns > 0) return {};
    // One round, and the end.
    double const least = 2 * exchange.round_ns, alone = alone_ns(kind, all, ranks);
    if (!(alone <= least)) return {};
    return reason_by_prices(&words_of_small,
                            {all.ranks, all.pieces, all.bytes, us(least), us(alone)});
  }
  // Estimates the time of a call with this plan, in nanoseconds.
  constexpr double expected_ns(access_kind kind, extend::access_summary const& all,
                               extend::rank_group const& ranks, collective_plan const& p) const {
    return p.together ? together_ns(kind, all, ranks, p) : alone_ns(kind, all, ranks);
  }
  // Returns the hash of everything that the choice depends on. Ranks may access separately in
  // different ways, but their prices must be equal.
  constexpr std::uint64_t key() const {
    return detail::key_of(two_phase.key(), sieving.prices.call_ns, sieving.prices.write_call_ns,
                          sieving.prices.lock_ns, sieving.prices.byte_ns, sieving.prices.piece_ns,
                          exchange.round_ns, exchange.byte_ns, exchange.piece_ns, exchange.block_ns,
                          exchange.server_byte_ns, exchange.server_call_ns, exchange.crowd,
                          exchange.write, exchange.crowd_call_ns, data_shipping.key());
  }
  friend constexpr bool operator==(automatic const&, automatic const&) = default;

 private:
  // Returns a reason that ends with the owner of the prices.
  constexpr extend::reason_text reason_by_prices(extend::reason_text::maker words,
                                                 extend::reason_text::numbers const& of) const {
    std::string owner;
    if (prices_from_hints) owner = "hints, else those of ";
    owner += storage;
    return {words, of, owner};
  }
  static constexpr std::int64_t us(double ns) { return detail::whole(ns / 1000); }
  static std::string words_of_small(extend::reason_text::numbers const& n,
                                    std::string_view storage) {
    return detail::counted(n[0], "rank") + ", " + detail::counted(n[1], "piece") + ", " +
           std::to_string(n[2]) + " bytes wanted; each by itself: together would take at least " +
           std::to_string(n[3]) + " us, alone " + std::to_string(n[4]) + " us, by the prices of " +
           std::string(storage);
  }
  // Replaces the plan of two_phase by a cheaper one.
  constexpr void choose(access_kind kind, extend::access_summary const& all,
                        extend::rank_group const& ranks, collective_plan& p,
                        bool of_equal_work) const {
    if (!p.together) return;
    double together = together_ns(kind, all, ranks, p), alone = alone_ns(kind, all, ranks);
    if (kind == access_kind::write && exchange.block_ns > 0) {
      // Domains begin at blocks. The call may have only a part of a block, which then belonged to
      // another aggregator in the previous call, or will in the next. Blocks that are bound to
      // agents are an exception.
      std::int64_t const block = std::max<std::int64_t>(1, ranks.block_bytes);
      if (all.low % block != 0 || all.high % block != 0) together += exchange.block_ns;
      collective_plan bound = data_shipping.plan(kind, all, ranks);
      if (double const shipped = together_ns(kind, all, ranks, bound); shipped < together) {
        together = shipped;
        p = std::move(bound);
      }
    }
    p.weighed = true;
    p.together = together < alone;
    p.reason = reason_by_prices(
        &detail::words_of_plan,
        detail::numbers_of_plan(all, of_equal_work && p.policy == argosy::two_phase::name, p.layers,
                                {us(together), us(alone), p.together}));
    if (!p.together) p.policy = argosy::sieving::name;
    if (!p.together) p.domains.clear();
  }

  // Estimates the time of separate access. If there are more ranks than processors, ranks take
  // turns. Each rank's own prices include the waits for locks.
  constexpr double alone_ns(access_kind kind, extend::access_summary const& all,
                            extend::rank_group const& ranks) const {
    double slowest = std::max(static_cast<double>(all.alone_ns),
                              shared(static_cast<double>(all.alone_sum_ns), ranks.size, ranks));
    bool const crowded = std::min(all.ranks, static_cast<std::int32_t>(ranks.at_once())) > 1;
    if (crowded) slowest *= exchange.crowd;
    if (crowded && kind == access_kind::write)
      slowest += exchange.crowd_call_ns * static_cast<double>(calls_in_crowd(all));
    // A rank reads whole blocks, whatever part of them it needs, and gaps, as other ranks do.
    auto const block = static_cast<double>(std::max<std::int64_t>(1, ranks.block_bytes));
    double const times = times_of_blocks(all, ranks),
                 bytes = std::max(from_servers(kind, all, ranks), times * block);
    slowest = std::max({slowest, at_servers(bytes, static_cast<double>(all.alone_calls)),
                        times / std::max(1, all.ranks) * block * sieving.prices.byte_ns});
    if (kind == access_kind::read) return slowest;
    // A write also needs each block alone. At one time there are as many such writes as blocks, and
    // at most one per rank.
    double const blocks = static_cast<double>(all.span()) / block + 1;
    return slowest + exchange.block_ns * times /
                         std::min(blocks, static_cast<double>(std::max(1, all.ranks)));
  }
  // Returns the number of calls that wait for those of other ranks. A few calls of each rank are
  // over before the ranks meet.
  static constexpr std::int64_t calls_in_crowd(extend::access_summary const& all) {
    constexpr std::int64_t few = 16;
    return std::max<std::int64_t>(0, all.alone_calls - few * all.ranks);
  }
  // Returns the bytes that the servers send. If one rank of a node has read something, the node
  // caches it for the other ranks.
  static constexpr double from_servers(access_kind kind, extend::access_summary const& all,
                                       extend::rank_group const& ranks) {
    auto const bytes = static_cast<double>(all.alone_bytes);
    if (kind == access_kind::write) return bytes;
    double const once_a_node = static_cast<double>(all.span()) *
                               static_cast<double>(std::max<std::int64_t>(1, ranks.nodes));
    return std::min(bytes, std::max(static_cast<double>(all.bytes), once_a_node));
  }
  // Returns how often a block that several ranks request moves from one rank to another: once for
  // each piece, if pieces of ranks interleave. 0 for aligned parts, and for file systems that do
  // not pass blocks between nodes.
  constexpr double times_of_blocks(extend::access_summary const& all,
                                   extend::rank_group const& ranks) const {
    std::int64_t const block = std::max<std::int64_t>(1, ranks.block_bytes);
    if (exchange.block_ns <= 0 || all.ranks < 2 || all.granule % block == 0) return 0;
    if (all.spans <= all.span()) return all.ranks - 1;
    return std::min(static_cast<double>(all.pieces),
                    static_cast<double>(all.span() / block + 1) * all.ranks);
  }
  constexpr double together_ns(access_kind kind, extend::access_summary const& all,
                               extend::rank_group const& ranks, collective_plan const& p) const {
    auto const n = static_cast<std::int64_t>(p.domains.size());
    auto const rounds = static_cast<double>(p.rounds());
    double const calls = static_cast<double>(n) * rounds;
    double const calls_ns =
        calls * (kind == access_kind::read ? sieving.prices.call_ns : sieving.prices.write_call_ns);
    auto const span = static_cast<double>(all.span());
    double const accessed = std::max(at_servers(span, calls),
                                     shared(span * sieving.prices.byte_ns + calls_ns, n, ranks));
    auto const moving = [&](std::int64_t bytes, std::int64_t pieces) {
      return static_cast<double>(bytes) * exchange.byte_ns +
             static_cast<double>(pieces) * exchange.piece_ns;
    };
    double const moved = std::max(moving(all.most_bytes, all.most_pieces),
                                  shared(moving(all.bytes, all.pieces), ranks.size, ranks));
    return (accessed + moved) * (kind == access_kind::write ? exchange.write : 1) +
           (rounds + 1) * exchange.round_ns;
  }
  // Returns the time of the servers of the file system, which serve all ranks.
  constexpr double at_servers(double bytes, double calls) const {
    return bytes * exchange.server_byte_ns + calls * exchange.server_call_ns;
  }
  // Returns the time for the work of `among` ranks, shared among the processors.
  static constexpr double shared(double sum, std::int64_t among, extend::rank_group const& ranks) {
    return sum / static_cast<double>(std::clamp<std::int64_t>(ranks.at_once(), 1, among));
  }
};
static_assert(extend::balancing_policy<automatic>);

}  // namespace argosy
