// The windows of a collective plan that take part in each step. If data is sparse, most windows
// have none and are skipped.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// A window: its round, then its domain, so that windows are ordered by rounds.
struct round_of_domain {
  std::int64_t round = 0, domain = 0;
  friend auto operator<=>(round_of_domain const&, round_of_domain const&) = default;
};

// One step. Windows, counters and tags alternate by its number. The schedule decides which window
// of a domain is in it.
struct step {
  std::int64_t number = 0;  // number of the step in its call
  std::int64_t round = 0;   // the lowest round of its windows
};

// The lowest windows of those that were added, in ascending order, each once.
template <std::size_t Most>
struct lowest_windows {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::array<round_of_domain, Most> all;

  lowest_windows() { all.fill({none, none}); }
  bool full() const noexcept { return all.back().round != none; }
  std::int64_t last_round() const noexcept { return all.back().round; }
  void add(round_of_domain w) {
    auto const place = std::lower_bound(all.begin(), all.end(), w);
    if (place == all.end() || *place == w) return;
    std::copy_backward(place, all.end() - 1, all.end());
    *place = w;
  }
  void combine(lowest_windows const& other) {
    std::array<round_of_domain, Most> both;
    auto a = all.begin();
    auto b = other.all.begin();
    // Neither list ends before `both` is full.
    for (round_of_domain& w : both) {
      w = std::min(*a, *b);
      if (*a == w && a + 1 != all.end()) ++a;
      if (*b == w && b + 1 != other.all.end()) ++b;
    }
    all = both;
  }
};

// The next windows in which some rank has data, and their rounds, as many as fit into a reduction.
struct data_ahead {
  lowest_windows<128> windows;
  lowest_windows<32> rounds;  // with domain 0, for any domain

  void add(round_of_domain w) {
    windows.add(w);
    rounds.add({w.round, 0});
  }
  bool has_room_for(std::int64_t round) const {
    return round < std::max(windows.last_round(), rounds.last_round()) || !windows.full() ||
           !rounds.full();
  }
  // Returns true if the windows reach further than the rounds.
  bool by_windows() const {
    return !windows.full() || (rounds.full() && windows.last_round() > rounds.last_round());
  }
  void combine(data_ahead const& other) {
    windows.combine(other.windows);
    rounds.combine(other.rounds);
  }
};

// The steps of a call, in order: every round of the plan, or only the windows in which some rank
// has data. The ranks find these windows some at a time. Then next() is collective, and all ranks
// get the same steps. If few domains have data in a round, each domain goes through its windows at
// its own pace. So aggregators whose data lies in different rounds work at the same time.
template <agreeing World>
class round_schedule {
 public:
  // To look ahead costs a reduction from time to time. A round without data costs a wait for all
  // ranks of a node, and a look at the window. `bytes`: of all ranks.
  round_schedule(World const& world, collective_plan const& plan, stream_range const& mine,
                 std::int64_t bytes)
      : world_(world), plan_(plan), mine_(mine) {
    window_counts const windows = windows_of(plan);
    rounds_ = windows.most;
    bool const many = rounds_ > 16;
    looks_ahead_ =
        many && static_cast<double>(windows.all) * static_cast<double>(plan.window_bytes) >
                    4 * static_cast<double>(bytes);
  }

  // Returns the next step. The functions below accept only this step and the one before.
  std::optional<step> next() {
    if (!looks_ahead_)
      return steps_ < rounds_ ? std::optional(step{steps_, steps_++}) : std::nullopt;
    if (next_ == ahead_.size() && !over_) look();
    if (next_ == ahead_.size()) return {};
    step const now{steps_++, ahead_[next_].round};
    current_[place(now)] = std::move(ahead_[next_++]);
    return now;
  }
  std::int64_t steps() const noexcept { return steps_; }

  // Returns true if the domain takes part in the step: domains do so up to their last round.
  bool takes_part(std::size_t domain, step const& now) const {
    return now.round < plan_.rounds_of(plan_.domains[domain]);
  }
  // Returns the window of a domain that takes part; empty if no rank has data for it in this step.
  file_window window_of(std::size_t domain, step const& now) const {
    file_domain const& d = plan_.domains[domain];
    std::optional<std::int64_t> const round = round_of(domain, now);
    return round ? plan_.window_of(d, *round) : file_window{d.end, d.end};
  }
  // Returns the round of that window.
  std::optional<std::int64_t> round_of(std::size_t domain, step const& now) const {
    if (!looks_ahead_) return now.round;
    planned const& p = current_[place(now)];
    if (p.everybody) return now.round;
    auto const found =
        std::lower_bound(p.windows.begin(), p.windows.end(), static_cast<std::int64_t>(domain),
                         [](round_of_domain const& w, std::int64_t d) { return w.domain < d; });
    if (found == p.windows.end() || found->domain != static_cast<std::int64_t>(domain)) return {};
    return found->round;
  }

 private:
  struct planned {
    std::int64_t round = 0;                     // the lowest
    bool everybody = false;                     // all domains go through the round
    std::vector<round_of_domain> windows = {};  // otherwise: these windows, by domain, each once
  };

  static std::size_t place(step const& now) { return static_cast<std::size_t>(now.number & 1); }

  void look() {
    data_ahead found;
    for_each_domain(
        plan_, mine_, [&](std::size_t a, file_domain const& d, stream_range const& part) {
          for_each_part(plan_, d, part, from_,
                        [&](std::int64_t round, file_window const&, window_part const&) {
                          if (!found.has_room_for(round)) return false;
                          found.add({round, static_cast<std::int64_t>(a)});
                          return true;
                        });
        });
    world_.all_reduce(found);
    ahead_.clear();
    next_ = 0;
    if (found.by_windows())
      plan_windows(found.windows);
    else
      plan_rounds(found.rounds);
  }

  // Puts the k-th window of each domain into the k-th step. So steps have ascending rounds, too.
  void plan_windows(lowest_windows<128> const& found) {
    over_ = !found.full();
    // The last round may have more windows, so it is left for the next time.
    from_ = found.last_round();
    for (round_of_domain const& w : found.all) {
      if (w.round == from_) break;
      auto const with_room = std::find_if(ahead_.begin(), ahead_.end(), [&](planned const& p) {
        return std::none_of(p.windows.begin(), p.windows.end(),
                            [&](round_of_domain const& other) { return other.domain == w.domain; });
      });
      planned& p = with_room == ahead_.end() ? ahead_.emplace_back(planned{w.round}) : *with_room;
      p.windows.push_back(w);
    }
    for (planned& p : ahead_)
      std::sort(
          p.windows.begin(), p.windows.end(),
          [](round_of_domain const& a, round_of_domain const& b) { return a.domain < b.domain; });
  }
  void plan_rounds(lowest_windows<32> const& found) {
    over_ = !found.full();
    for (round_of_domain const& w : found.all)
      if (w.round != found.none) ahead_.push_back({w.round, true});
    from_ = found.last_round() + (over_ ? 0 : 1);
  }

  World const& world_;
  collective_plan const& plan_;
  stream_range const& mine_;
  std::int64_t rounds_ = 0;
  bool looks_ahead_ = false, over_ = false;
  std::int64_t steps_ = 0, from_ = 0;  // windows of rounds before from_ are planned, or done
  std::vector<planned> ahead_;
  std::size_t next_ = 0;            // index in ahead_
  std::array<planned, 2> current_;  // the windows of an even and of an odd step
};

}  // namespace argosy::detail
