// Which windows of a collective plan take part in which step: where data lies far apart, most
// windows hold none of it.
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

// A window: its round, then its domain, so that they are ordered by rounds.
struct round_of_domain {
  std::int64_t round = 0, domain = 0;
  friend auto operator<=>(round_of_domain const&, round_of_domain const&) = default;
};

// One step. Windows, counters and tags alternate by its number; which window of a domain is in it,
// the schedule says.
struct step {
  std::int64_t number = 0;  // of the step in its call
  std::int64_t round = 0;   // of the plan: the lowest of its windows
};

// The lowest of those that were added, in ascending order, each once.
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
    // Neither comes to its end before `both` is full.
    for (round_of_domain& w : both) {
      w = std::min(*a, *b);
      if (*a == w && a + 1 != all.end()) ++a;
      if (*b == w && b + 1 != other.all.end()) ++b;
    }
    all = both;
  }
};

// Where some rank has data next: the windows, and the rounds, as many as fit into a reduction.
struct data_ahead {
  lowest_windows<128> windows;
  lowest_windows<32> rounds;  // of domain 0, whoever has them

  void add(round_of_domain w) {
    windows.add(w);
    rounds.add({w.round, 0});
  }
  bool has_room_for(std::int64_t round) const {
    return round < std::max(windows.last_round(), rounds.last_round()) || !windows.full() ||
           !rounds.full();
  }
  // Which of both comes further.
  bool by_windows() const {
    return !windows.full() || (rounds.full() && windows.last_round() > rounds.last_round());
  }
  void combine(data_ahead const& other) {
    windows.combine(other.windows);
    rounds.combine(other.rounds);
  }
};

// The steps of a call, in order. Either every round of the plan, or those windows that some rank
// has data for, which the ranks find out some at a time: next() is collective then, and all ranks
// get the same steps. Where few domains have data in a round, each goes through its windows at a
// pace of its own, so that agents whose data lies in different rounds are at work at the same time.
template <agreeing World>
class round_schedule {
 public:
  // Looking ahead costs a reduction now and then; going through a round that nobody needs, a wait
  // for all ranks of a node and a look at the window. `bytes`: of all ranks.
  round_schedule(World const& world, collective_plan const& plan, stream_range const& mine,
                 std::int64_t bytes)
      : world_(world), plan_(plan), mine_(mine), rounds_(plan.rounds()) {
    double windows = 0;
    for (file_domain const& d : plan.domains) windows += static_cast<double>(plan.rounds_of(d));
    bool const many = rounds_ > 16;
    looks_ahead_ =
        many && windows * static_cast<double>(plan.window_bytes) > 4 * static_cast<double>(bytes);
  }

  // Only this step and the one before are known to the functions below.
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

  // A domain takes part in the first steps, up to that of its last round.
  bool takes_part(std::size_t domain, step const& now) const {
    return now.round < plan_.rounds_of(plan_.domains[domain]);
  }
  // Of a domain that takes part: empty, if nobody has data for it in this step.
  file_window window_of(std::size_t domain, step const& now) const {
    file_domain const& d = plan_.domains[domain];
    std::optional<std::int64_t> const round = round_of(domain, now);
    return round ? plan_.window_of(d, *round) : file_window{d.end, d.end};
  }
  // Of that window.
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
    bool everybody = false;                     // all domains go through it
    std::vector<round_of_domain> windows = {};  // else: these, by domain, each once
  };

  static std::size_t place(step const& now) { return static_cast<std::size_t>(now.number & 1); }

  void look() {
    data_ahead found;
    for (std::size_t a = 0; a < plan_.domains.size(); ++a)
      for_each_part(plan_, plan_.domains[a], mine_, from_,
                    [&](std::int64_t round, file_window const&, window_part const&) {
                      if (!found.has_room_for(round)) return false;
                      found.add({round, static_cast<std::int64_t>(a)});
                      return true;
                    });
    world_.all_reduce(found);
    ahead_.clear();
    next_ = 0;
    if (found.by_windows())
      plan_windows(found.windows);
    else
      plan_rounds(found.rounds);
  }

  // The k-th window of each domain is in the k-th step. So steps have ascending rounds, too.
  void plan_windows(lowest_windows<128> const& found) {
    over_ = !found.full();
    // Of the last round there may be more: it is for the next time.
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
  std::int64_t rounds_;
  bool looks_ahead_ = false, over_ = false;
  std::int64_t steps_ = 0, from_ = 0;  // windows of rounds before from_ are planned, or done
  std::vector<planned> ahead_;
  std::size_t next_ = 0;            // in ahead_
  std::array<planned, 2> current_;  // of an even and of an odd step
};

}  // namespace argosy::detail
