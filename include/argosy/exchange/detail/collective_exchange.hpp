// Carries out a collective plan. Every rank copies its pieces directly between its memory and the
// windows of the aggregators of its node, and exchanges messages with other nodes. Aggregators move
// windows between memory and the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/exchange/detail/guided_access.hpp>
#include <argosy/exchange/detail/links.hpp>
#include <argosy/exchange/detail/memory_side.hpp>
#include <argosy/exchange/detail/node_stage.hpp>
#include <argosy/exchange/detail/node_windows.hpp>
#include <argosy/exchange/detail/relays.hpp>
#include <argosy/exchange/detail/round_schedule.hpp>
#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/exchange/detail/window_writer.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// If a rank fails, it continues to the end of the call, because the other ranks wait for it at
// every window. If all ranks are on one node, no MPI call is made.
//
// Writing, step k of aggregator a:
// - Every rank of a's node waits until a's window of step k - 2 is written. Then it fills its part
//   of the window and arrives. Ranks of other nodes send their parts.
// - a waits for all, writes the covered bytes and releases the window.
//
// Reading, step k of aggregator a:
// - Every rank of a's node marks which bytes it needs.
// - a reads from the first to the last needed byte, releases the window, and sends other nodes
//   their bytes.
// - Every rank takes its part out of the window, and counts itself in `emptied`.
//
// Between nodes, messages travel between pairs of ranks, by `links`, or between pairs of nodes, by
// `relays`.
template <agreeing World, handle H>
class collective_exchange {
 public:
  // `relayed`: the state of relays, if the plan has two layers and the node has memory for them.
  collective_exchange(World const& world, seats const& node, node_stage& stage, link_memory& kept,
                      relay_memory* relayed, collective_plan const& plan, std::int64_t all_bytes,
                      access const& mine, H& h, memory_side& memory, sieving const& prices,
                      merging how, staging& space, report& done)
      : world_(world),
        seats_(node),
        stage_(stage),
        relayed_(relayed),
        plan_(plan),
        mine_(mine),
        range_{&mine.file, mine.position, mine.end()},
        file_(h),
        memory_(memory),
        windows_(world, node, stage, plan, mine, memory, failed_, waiting()),
        writer_(h, prices, how, space, done, plan.max_ranges),
        done_(done),
        schedule_(world, plan, range_, all_bytes),
        links_(world, kept, plan, schedule_, done) {}

  // Carries out the plan. `view` is the number of this rank's view.
  failure run(std::uint64_t view) {
    prepare(view);
    if (plan_.kind == access_kind::write)
      write();
    else
      read();
    links_.finish();
    with_relays([](auto& r) { r.finish(); });
    if (std::error_code const e = writer_.end()) failed_.keep({e, "unlocking"});
    if (plan_.kind == access_kind::read) done_.bytes = bytes_before_gap();
    for (std::size_t s = 0; s < near_.size(); ++s) stage_.rounds_before(s) += steps_[s];
    done_.rounds = schedule_.steps();
    return std::move(failed_);
  }

  // Returns the bytes of this rank that were written, from the start of its stream to the first
  // window that failed. For writes, after all ranks have agreed that some rank failed. Collective.
  std::int64_t settled_bytes() {
    if (relayed_)
      settle_all();
    else
      settle_with_partners();
    return bytes_before_gap();
  }

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  typename node_windows<World>::waiting waiting() {
    if constexpr (node_waiting<World> && communicator<World>)
      return [this](std::uint32_t& word, std::uint32_t seen) {
        world_.wait(word, seen, relays_ ? relays_->requests() : links_.requests());
      };
    else if constexpr (node_waiting<World>)
      return [this](std::uint32_t& word, std::uint32_t seen) { world_.wait(word, seen); };
    else
      return [](std::uint32_t&, std::uint32_t) {
      };  // a rank that is alone on its node never waits here
  }
  template <class F>
  void with_relays([[maybe_unused]] F&& f) {
    if constexpr (communicator<World>)
      if (relays_) f(*relays_);
  }

  void prepare(std::uint64_t view) {
    near_ = domains_of(plan_.domains, seats_.ranks);
    for (std::size_t s = 0; s < near_.size(); ++s) {
      if (plan_.domains[near_[s]].rank != world_.rank()) continue;
      own_ = s;
      stage_.of(s).failed_round = none;
    }
    std::vector<far_domain> far;
    if (!relayed_ && near_.size() < plan_.domains.size())
      for_each_domain(
          plan_, range_, [&](std::size_t a, file_domain const& d, stream_range const& part) {
            if (!std::binary_search(near_.begin(), near_.end(), a) && has_bytes(d, part))
              far.push_back({a, d.rank, part});
          });
    if constexpr (communicator<World>) {
      if (relayed_) {
        images_.emplace(world_, seats_, relayed_->stage, plan_, mine_, memory_, failed_, waiting());
        relays_.emplace(world_, seats_, *relayed_, plan_, schedule_, near_,
                        own_ ? std::optional(near_[*own_]) : std::nullopt, *images_, done_);
      }
    }
    if (!relayed_ && static_cast<int>(seats_.ranks.size()) < world_.size())
      links_.begin(view, std::move(far));
    // Every rank begins with a different aggregator, so that few ranks are at the same window.
    if (!near_.empty())
      first_ = static_cast<std::size_t>(seats_.mine) * near_.size() / seats_.ranks.size();
    steps_.assign(near_.size(), 0);
  }

  bool has_bytes(file_domain const& d, stream_range const& part) const {
    bool any = part.from < part.to;
    if (!any || !d.striped()) return any;
    any = false;
    for_each_part(plan_, d, part, 0, [&](std::int64_t, file_window const&, window_part const&) {
      return !(any = true);
    });
    return any;
  }

  template <class F>
  void for_each_near(step const& k, F&& f) {
    for (std::size_t i = 0; i < near_.size(); ++i) {
      std::size_t const s = (first_ + i) % near_.size();
      if (schedule_.takes_part(near_[s], k)) f(s, schedule_.window_of(near_[s], k));
    }
  }
  template <class F>
  void if_aggregator(step const& k, F&& f) {
    if (own_ && schedule_.takes_part(near_[*own_], k))
      f(*own_, schedule_.window_of(near_[*own_], k));
  }
  // Returns the next step. A domain takes part in the first steps, up to its last round.
  std::optional<step> next() {
    std::optional<step> const k = schedule_.next();
    for (std::size_t s = 0; k && s < near_.size(); ++s)
      if (schedule_.takes_part(near_[s], *k)) ++steps_[s];
    return k;
  }

  // Notes that a part of the stream was moved up to `to`, of `wanted`. Bytes behind a gap are not
  // counted.
  void came_to(std::int64_t to, std::int64_t wanted) {
    if (to < wanted) first_gap_ = std::min(first_gap_, to);
  }
  std::int64_t bytes_before_gap() const {
    return std::min(first_gap_, mine_.end()) - mine_.position;
  }

  // Returns the number of step k of this call among the steps of all calls.
  std::uint64_t number(std::size_t s, step const& k) {
    return stage_.rounds_before(s) + static_cast<std::uint64_t>(k.number);
  }

  // Runs both halves of each step. A window is emptied while the next one is filled, or before any
  // rank begins to fill the next one.
  template <class Fill, class Empty>
  void each_step(Fill&& fill, Empty&& empty) {
    std::optional<step> before, now = next();
    for (; now || before; before = now, now = next()) {
      if (now) fill(*now);
      if (before) empty(*before);
      if (plan_.overlap || !now) continue;
      empty(*now);
      now.reset();
      world_.barrier();
    }
  }

  // One half of a step: between ranks and aggregators, or between aggregators and the file. The
  // span of the other half has the same number.
  static in_phase in_round(step const& k) {
    return in_phase(phase::exchange, {.name = "round", .number = k.round + 1});
  }

  // --- writing ---

  void write() {
    auto const fill = [&](step const& k) {
      in_phase const half = in_round(k);
      if (!links_.none()) exchange_messages(k);
      with_relays([&](auto& r) {
        if_aggregator(k, [&](std::size_t, file_window const&) { r.post(k); });
        done_.bytes += r.write(k);
      });
      for_each_near(k, [&](std::size_t s, file_window const& w) {
        done_.bytes += windows_.fill(s, number(s, k), k.number >= 2, w);
      });
    };
    each_step(fill, [&](step const& k) {
      if_aggregator(k, [&](std::size_t s, file_window const& w) {
        in_phase const half = in_round(k);
        empty_to_file(s, k, w);
      });
    });
  }

  void exchange_messages(step const& k) {
    // This rank has written its window of round k - 2.
    if_aggregator(k, [&](std::size_t s, file_window const& w) {
      links_.post(k, w, stage_.window(s, number(s, k)));
    });
    links_.send(
        k,
        [&](std::int64_t from, std::int64_t to, std::byte* stream) {
          return guarded(
              failed_, [&] { memory_.gather(from - mine_.position, to - mine_.position, stream); });
        },
        [&](std::int64_t from) { return memory_.stretch(from - mine_.position); });
  }

  void empty_to_file(std::size_t s, step const& k, file_window const& w) {
    std::uint64_t const n = number(s, k);
    windows_.await_all(s, n);
    window_marks all = windows_.covered(s, n, w);
    if (!links_.none())
      links_.collect(k, w, stage_.window(s, n),
                     [&](stream_range const& theirs, window_part const& p) {
                       windows_.cover(all, w, theirs, p);
                     });
    with_relays([&](auto& r) { r.collect(k, stage_.window(s, n), all); });
    // Declared without a value: g++ 12 at -O3 assumes that an earlier assignment is done even if
    // the call throws.
    std::error_code error;
    if (!guarded(failed_,
                 [&] { error = writer_.write(w, stage_.window(s, n), all, plan_.granule); }))
      error = errc::io;
    if (error) fail(s, k, w, error, "writing");
    windows_.give_back(s, n);
  }

  void fail(std::size_t s, step const& k, file_window const& w, std::error_code error,
            char const* what) {
    std::int64_t& first = stage_.of(s).failed_round;
    std::int64_t const round = schedule_.round_of(near_[s], k).value_or(k.round);
    first = std::min(first, round);
    failed_.keep({error, std::string(what) + " the window [" + std::to_string(w.begin) + ", " +
                             std::to_string(w.end) + ") of the file, round " +
                             std::to_string(round + 1) + " of " + std::to_string(plan_.rounds())});
  }

  void settle_with_partners() {
    auto const look = [&](std::size_t a, std::int64_t failed_round) {
      came_to_failed(a, failed_round);
    };
    for (std::size_t s = 0; s < near_.size(); ++s) look(near_[s], stage_.of(s).failed_round);
    links_.settle(own_ ? stage_.of(*own_).failed_round : none, look);
  }
  // With relays a rank does not know which aggregators have its data. So all ranks get the failed
  // rounds of all aggregators, some at a time.
  struct failed_rounds {
    std::array<std::int64_t, 64> first;
    void combine(failed_rounds const& other) {
      for (std::size_t i = 0; i < first.size(); ++i) first[i] = std::min(first[i], other.first[i]);
    }
  };
  void settle_all() {
    for (std::size_t from = 0; from < plan_.domains.size(); from += 64) {
      failed_rounds some;
      some.first.fill(none);
      if (own_ && near_[*own_] / 64 == from / 64)
        some.first[near_[*own_] % 64] = stage_.of(*own_).failed_round;
      world_.all_reduce(some);
      for (std::size_t a = from; a < std::min(from + 64, plan_.domains.size()); ++a)
        if (some.first[a - from] != none) came_to_failed(a, some.first[a - from]);
    }
  }
  void came_to_failed(std::size_t a, std::int64_t failed_round) {
    for_each_part(plan_, plan_.domains[a], range_, failed_round,
                  [&](std::int64_t, file_window const&, window_part const& p) {
                    came_to(p.from, p.to);
                    return false;
                  });
  }

  // --- reading ---

  void read();

  void fill_from_file(std::size_t s, step const& k, file_window const& w);

  std::error_code read_hull(std::size_t s, std::uint64_t n, file_window const& w,
                            file_share const& all);
  std::error_code read_wanted(std::size_t s, std::uint64_t n, step const& k, file_window const& w);

  World const& world_;
  seats const& seats_;
  node_stage& stage_;
  relay_memory* relayed_;
  collective_plan const& plan_;
  access const& mine_;
  stream_range range_;
  H& file_;
  memory_side& memory_;
  failure failed_;
  node_windows<World> windows_;
  window_writer<H> writer_;
  report& done_;
  round_schedule<World> schedule_;
  typename links_of<World>::type links_;
  // domains of aggregators of this node, in the order of the stage
  std::vector<std::size_t> near_;
  std::optional<std::size_t> own_;             // index in near_
  std::vector<std::uint64_t> steps_;           // number of steps so far, for each near domain
  std::optional<node_windows<World>> images_;  // windows of other nodes' aggregators, at the relays
  std::optional<typename relays_of<World>::type> relays_;
  std::size_t first_ = 0;
  std::int64_t first_gap_ = none;  // the first byte of the stream that was not transferred
};

}  // namespace argosy::detail

#include <argosy/exchange/detail/collective_reading.hpp>
