// Which rounds of a collective plan take place: where data lies far apart, most windows hold none of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// One round that takes place. Windows, counters and tags alternate by number; the plan says what lies in which round.
struct step {
  std::int64_t number = 0;  // of the step in its call
  std::int64_t round = 0;   // of the plan
};

// The lowest rounds in which any rank has data, as many as fit into a reduction: in ascending order, each once.
struct rounds_with_data {
  static constexpr std::size_t most = 32;
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, most> rounds;

  rounds_with_data() { rounds.fill(none); }
  bool full() const noexcept { return rounds.back() != none; }
  void add(std::int64_t round) {
    auto const place = std::lower_bound(rounds.begin(), rounds.end(), round);
    if (place == rounds.end() || *place == round) return;
    std::copy_backward(place, rounds.end() - 1, rounds.end());
    *place = round;
  }
  void combine(rounds_with_data const& other) {
    for (std::int64_t const round : other.rounds) add(round);
  }
};

// The steps of a call, in order. Either every round of the plan, or those that some rank has data for, which the ranks find out
// some at a time: next() is collective then, and all ranks get the same steps.
template <agreeing World>
class round_schedule {
 public:
  // Looking ahead costs a reduction for every `most` steps; going through a round that nobody needs, a wait for all ranks of a
  // node and a look at the window. `bytes`: of all ranks.
  round_schedule(World const& world, collective_plan const& plan, stream_range const& mine, std::int64_t bytes)
      : world_(world), plan_(plan), mine_(mine), rounds_(plan.rounds()) {
    double windows = 0;
    for (file_domain const& d : plan.domains) windows += static_cast<double>(plan.rounds_of(d));
    bool const many = rounds_ > static_cast<std::int64_t>(rounds_with_data::most) / 2;
    looks_ahead_ = many && windows * static_cast<double>(plan.window_bytes) > 4 * static_cast<double>(bytes);
  }

  std::optional<step> next() {
    if (!looks_ahead_) return steps_ < rounds_ ? std::optional(step{steps_, steps_++}) : std::nullopt;
    if (at_ == rounds_with_data::most) look();
    std::int64_t const round = found_.rounds[at_];
    if (round == rounds_with_data::none) return {};
    ++at_;
    last_ = round;
    return step{steps_++, round};
  }
  std::int64_t steps() const noexcept { return steps_; }

 private:
  void look() {
    found_ = rounds_with_data();
    for (file_domain const& d : plan_.domains)
      for_each_part(plan_, d, mine_, last_ + 1, [&](std::int64_t round, file_window const&, window_part const&) {
        found_.add(round);
        return !found_.full() || round < found_.rounds.back();
      });
    world_.all_reduce(found_);
    at_ = 0;
  }

  World const& world_;
  collective_plan const& plan_;
  stream_range const& mine_;
  std::int64_t rounds_;
  bool looks_ahead_ = false;
  std::int64_t steps_ = 0, last_ = -1;
  rounds_with_data found_;
  std::size_t at_ = rounds_with_data::most;  // in found_; behind it: look again
};

}  // namespace argosy::detail
