// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <algorithm>
#include <array>

#include <argosy/policy/automatic.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

#include "places.hpp"

namespace argosy::explore {

using namespace extend;

bool is_mixed(step const& s, int rank) noexcept {
  return s.mix != 0 && is_local(s.what) && mixed(s.mix, static_cast<std::uint64_t>(rank)) % 2 == 1;
}
op what_of(step const& s, int rank) noexcept {
  return s.both_ways && is_mixed(s, rank) && !at_shared_pointer(s.what) ? other_way(s.what)
                                                                        : s.what;
}
policy_choice const& policy_of(step const& s, int rank) noexcept {
  return is_mixed(s, rank) ? s.other : s.policy;
}

any_policy to_policy(policy_choice const& p) {
  auto const set = [](std::int64_t& member, std::int64_t value) {
    if (value > 0) member = value;
  };
  independent pieces;
  set(pieces.buffer_bytes, p.buffer_bytes);
  sieving windows;
  set(windows.read_window_bytes, p.window_bytes);
  set(windows.write_window_bytes, p.window_bytes);
  windows.reads = windows.writes = static_cast<sieving_mode>(p.merge);
  two_phase together;
  set(together.buffer_bytes, p.buffer_bytes);
  set(together.window_bytes, p.window_bytes);
  set(together.aggregators, p.aggregators);
  set(together.align_bytes, p.align_bytes);
  set(together.layers, p.layers);
  together.overlap = p.align_bytes != 8;
  data_shipping shipped;
  set(shipped.stripe_bytes, p.buffer_bytes);
  set(shipped.agents, p.aggregators);
  set(shipped.window_bytes, p.window_bytes);
  if (p.align_bytes == 1) shipped.buffers = 1;
  shipped.sparse = p.merge == 2;
  shipped.overlap = p.align_bytes != 8;
  switch (p.kind) {
    case policy_kind::of_hints:
      break;
    case policy_kind::independent:
      return pieces;
    case policy_kind::sieving:
      return windows;
    case policy_kind::two_phase:
      return together;
    case policy_kind::automatic:
      return automatic{.two_phase = together, .sieving = windows};
    case policy_kind::data_shipping:
      return shipped;
  }
  return {};
}

namespace {

// The pending requests of one of the files that may be open, between two steps.
struct under_way {
  struct range {
    std::int64_t begin, end;
  };
  static constexpr range everything{0, std::int64_t{1} << 62};

  explore::shape seen = shape::plain;
  std::vector<range> pending = {};
  bool split = false;  // one of them is a split call
  bool sequential = false;

  range of(step const& s, int ranks) const {
    if (!at_offset(s.what) || seen == shape::ghosts) return everything;
    return {s.offset, s.offset + s.count * (is_one_for_all(seen) ? ranks : 1)};
  }
  bool meets(range const& mine) const {
    return std::any_of(pending.begin(), pending.end(),
                       [&](range const& r) { return r.begin < mine.end && mine.begin < r.end; });
  }
  bool may_meet(step const& s, int ranks) const {
    if (s.what == op::compute || s.what == op::test) return true;
    if (s.what == op::close) return s.later;
    // While a split call is pending, no other split call and no blocking collective call may begin.
    bool const shut = split && (is_split(s.what) || (is_collective(s.what) && !is_request(s.what)));
    return at_offset(s.what) && !meets(of(s, ranks)) && !shut;
  }
};

}  // namespace

std::vector<step> complete(program const& p) {
  std::vector<step> all;
  std::array<under_way, 2> files;
  int slot = 0;
  auto const settle = [&](int which, bool waits) {
    under_way& u = files[static_cast<std::size_t>(which)];
    if (u.pending.empty()) return;
    if (!all.empty()) all.back().loose = false;
    if (!waits) all.push_back({.what = op::wait, .slot = which});
    u.pending.clear();
    u.split = false;
  };
  for (step s : p.steps) {
    if (s.slot != slot) settle(slot, false);
    if (s.slot != slot && !all.empty()) all.back().loose = false;
    slot = s.slot;
    under_way& u = files[static_cast<std::size_t>(slot)];
    s.later = s.mistake == slip::none && s.trouble == trouble::none &&
              ((s.later && is_request(s.what) && !at_shared_pointer(s.what)) ||
               (s.later && s.what == op::close && !u.pending.empty()));
    if (!u.may_meet(s, p.world.ranks)) settle(slot, s.what == op::wait || s.what == op::drop);
    if (s.what == op::close) u.pending.clear();
    if (s.what == op::open) u.seen = shape::plain, u.sequential = has(s.modes, mode::sequential);
    if (s.what == op::set_view) u.seen = s.view.shape;
    if (s.later && s.what != op::close) {
      u.pending.push_back(u.of(s, p.world.ranks));
      u.split = u.split || is_split(s.what);
    }
    // Ranks need not wait for each other between two collective calls, nor if every rank has bytes
    // of its own.
    if (!all.empty() && all.back().loose) {
      op const before = all.back().what;
      bool const apart = is_own(u.seen) || is_collective(before) || is_collective(s.what);
      // The oracle assumes that pending requests came before the steps of all ranks that follow.
      bool const alone = !moves_data(s.what) || !apart || at_shared_pointer(s.what) || s.later;
      // A set_view at the shared pointer itself waits for the ranks that still move the pointer.
      if (at_shared_pointer(before) ? s.what != op::set_view : alone) all.back().loose = false;
    }
    bool const moves_pointer = at_shared_pointer(s.what);
    s.loose = s.loose && moves_data(s.what) &&
              (!moves_pointer || (u.sequential && is_local(s.what))) && s.mistake == slip::none &&
              s.trouble == trouble::none;
    all.push_back(s);
  }
  settle(slot, false);
  if (!all.empty()) all.back().loose = false;
  return all;
}

}  // namespace argosy::explore
