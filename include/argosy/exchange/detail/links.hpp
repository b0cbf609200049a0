// Messages of a collective call between ranks and aggregators of other nodes, which share no
// memory: at most one for each pair and round.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/exchange/detail/link_tags.hpp>
#include <argosy/exchange/detail/round_schedule.hpp>
#include <argosy/exchange/detail/staging.hpp>
#include <argosy/exchange/detail/view_exchange.hpp>
#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/layout/detail/transfer.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/world/charging.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// The memory of links, kept for later calls.
struct link_memory {
  view_exchange views;
  std::array<staging, 2> outgoing, incoming;  // for even and odd rounds
};

// Messages of a round begin in one step of the call and are waited for in a later step; two rounds
// may be in progress. All ranks go through the rounds in order. Each waits only for messages that
// others begin in the same round or an earlier one, so there is no deadlock.
template <communicator World>
class links {
 public:
  using request = typename World::request;

  links(World const& world, link_memory& kept, collective_plan const& plan,
        round_schedule<World> const& schedule, report& done)
      : world_(world), kept_(kept), plan_(plan), schedule_(schedule), done_(done) {}

  // Collective. `to`: this rank's domains on other nodes, in the order of the plan.
  void begin(std::uint64_t view, std::vector<far_domain> to) {
    to_ = std::move(to);
    done_.messages += static_cast<std::int64_t>(to_.size());
    from_ = kept_.views.tell(world_, view, plan_, to_, done_.view_bytes);
    requests_.resize(2 * (to_.size() + from_.size()));
  }
  bool none() const noexcept { return requests_.empty(); }
  // Returns all messages in progress, for a caller that waits for something else and must let them
  // progress.
  std::span<request> requests() { return requests_; }
  void finish() { wait_for(requests_); }

  // --- Writing, at the rank ---

  // `gather(from, to, stream)` copies bytes of this rank's stream, and returns false if it could
  // not. `stretch(from)` is the memory that holds them already, as far as it is contiguous.
  template <class Gather, class Stretch>
  void send(step const& now, Gather&& gather, Stretch&& stretch) {
    std::span<request> const mine = to_requests(now);
    wait_for(mine);
    std::int64_t room = 0;
    for (far_domain const& d : to_) room += part(d, now).bytes();
    std::byte* free = room == 0 ? nullptr : kept_.outgoing[index(now)].get(room);
    for (std::size_t i = 0; i < to_.size(); ++i) {
      window_part const p = part(to_[i], now);
      if (p.empty()) continue;
      auto const bytes = static_cast<std::size_t>(p.bytes());
      std::span<std::byte const> message = stretch(p.from);
      if (message.size() >= bytes) {
        message = message.first(bytes);
      } else {
        bool const there = !copies(world_) || gather(p.from, p.to, free);
        message = {free, there ? bytes : 0};  // no bytes: nothing of this part is written
        free += p.bytes();
        charge_for(*to_[i].mine.file, p.from, p.to);
      }
      done_.bytes += static_cast<std::int64_t>(message.size());
      mine[i] = start_send(message, to_[i].rank, now);
    }
  }

  // --- Writing, at the aggregator ---

  // Begins to receive the data of other ranks for this window, as far as there is room. The window
  // must be free.
  void post(step const& now, file_window const& w, std::byte* window) {
    batches_[index(now)].begin = 0;
    receive_some(now, w, window);
  }
  // Calls `arrived(theirs, part)` for each part that lies in the window now.
  template <class Arrived>
  void collect(step const& now, file_window const& w, std::byte* window, Arrived&& arrived) {
    std::span<request> const mine = from_requests(now);
    batch& b = batches_[index(now)];
    for (;;) {
      wait_for(mine.subspan(b.begin, b.end - b.begin));
      for (std::size_t i = b.begin; i < b.end; ++i) {
        far_rank const& f = from_[i];
        window_part const p = f.theirs.within(w);
        if (p.empty()) continue;
        tell_message(message_end::received, f.rank, static_cast<std::int64_t>(mine[i].received()));
        if (mine[i].received() == 0) continue;
        if (std::byte const* const packed = b.packed[i - b.begin]) {
          if (copies(world_)) unpack(*f.theirs.file, packed, p.from, p.to, moved(window, -w.begin));
          charge_for(*f.theirs.file, p.from, p.to);
        }
        arrived(f.theirs, p);
      }
      if (b.end == from_.size()) return;
      b.begin = b.end;
      receive_some(now, w, window);
    }
  }

  // --- Reading, at the rank ---

  // Begins to receive this round's part. `stretch(from)` is its place in memory, as far as that is
  // contiguous.
  template <class Stretch>
  void expect(step const& now, Stretch&& stretch) {
    std::span<request> const mine = to_requests(now);
    std::int64_t room = 0;
    for (far_domain const& d : to_) room += part(d, now).bytes();
    std::byte* free = room == 0 ? nullptr : kept_.incoming[index(now)].get(room);
    std::vector<std::byte const*>& packed = batches_[index(now)].packed;
    packed.assign(to_.size(), nullptr);
    for (std::size_t i = 0; i < to_.size(); ++i) {
      window_part const p = part(to_[i], now);
      if (p.empty()) continue;
      auto const bytes = static_cast<std::size_t>(p.bytes());
      std::span<std::byte> into = stretch(p.from);
      if (into.size() >= bytes) {
        into = into.first(bytes);
      } else {
        into = {free, bytes};
        packed[i] = free;
        free += p.bytes();
      }
      mine[i] = world_.start_receive(into, to_[i].rank, tag_of(now));
    }
  }
  // Waits for this round's part, which is shorter if the file ends. `scatter(stream, from, to,
  // wanted)` copies it to memory. `stream` is null if the bytes are there already, or are never
  // looked at.
  template <class Scatter>
  void take(step const& now, Scatter&& scatter) {
    std::span<request> const mine = to_requests(now);
    wait_for(mine);
    for (std::size_t i = 0; i < to_.size(); ++i) {
      window_part const p = part(to_[i], now);
      if (p.empty()) continue;
      auto const bytes = static_cast<std::int64_t>(mine[i].received());
      tell_message(message_end::received, to_[i].rank, bytes);
      std::byte const* const packed = batches_[index(now)].packed[i];
      scatter(bytes > 0 && copies(world_) ? packed : nullptr, p.from, p.from + bytes, p.to);
      if (packed) charge_for(*to_[i].mine.file, p.from, p.from + bytes);
    }
  }

  // --- Reading, at the aggregator ---

  // Calls f(theirs, part) for the bytes that other ranks want from a window.
  template <class F>
  void for_each_share(file_window const& w, F&& f) const {
    for (far_rank const& r : from_)
      if (window_part const p = r.theirs.within(w); !p.empty()) f(r.theirs, p);
  }
  // Waits until the answers of a round are sent. Then its window may be used again.
  void answered(step const& now) { wait_for(from_requests(now)); }
  // Sends other ranks the bytes that they want from the window, as far as these lie before `end` in
  // the file.
  void answer(step const& now, file_window const& w, std::byte const* window, std::int64_t end) {
    std::span<request> const mine = from_requests(now);
    staging& space = kept_.outgoing[index(now)];
    std::int64_t used = 0;
    std::size_t first = 0;  // the first rank whose message lies in the buffer
    for (std::size_t i = 0; i < from_.size(); ++i) {
      far_rank const& f = from_[i];
      window_part p = f.theirs.within(w);
      if (p.empty()) continue;
      p.to = std::min(p.to, std::max(p.from, f.theirs.before(end)));
      auto const bytes = static_cast<std::size_t>(p.bytes());
      std::span<std::byte const> message(window + (p.file.low - w.begin), bytes);
      if (p.file.dense == 0) {
        // Many ranks may want the same bytes, so memory is limited to one window for all ranks, not
        // one for each.
        if (used + p.bytes() > plan_.window_bytes) {
          wait_for(mine.subspan(first, i - first));
          first = i;
          used = 0;
        }
        std::byte* const packed = space.get(plan_.window_bytes) + used;
        if (copies(world_)) pack(*f.theirs.file, moved(window, -w.begin), p.from, p.to, packed);
        charge_for(*f.theirs.file, p.from, p.to);
        used += p.bytes();
        message = {packed, bytes};
      }
      mine[i] = start_send(message, f.rank, now);
    }
  }

  // --- After a failure ---

  // Exchanges the round in which each aggregator first failed. Collective. Calls f(domain, round)
  // for the domains that this rank wrote to.
  template <class F>
  void settle(std::int64_t failed_round, F&& f) {
    std::vector<std::int64_t> rounds(to_.size() + from_.size());
    std::vector<request> all(rounds.size());
    for (std::size_t i = 0; i < to_.size(); ++i)
      all[i] =
          world_.start_receive(std::as_writable_bytes(std::span(&rounds[i], 1)), to_[i].rank, tag);
    for (std::size_t i = 0; i < from_.size(); ++i) {
      std::size_t const k = to_.size() + i;
      rounds[k] = failed_round;
      all[k] = world_.start_send(std::as_bytes(std::span(&rounds[k], 1)), from_[i].rank, tag);
    }
    wait_for(all);
    for (std::size_t i = 0; i < to_.size(); ++i) f(to_[i].domain, rounds[i]);
  }

 private:
  void wait_for(std::span<request> requests) {
    if (requests.empty()) return;
    in_phase const now(phase::waiting);
    World::wait_all(requests);
  }
  void charge_for(layout const& file, std::int64_t from, std::int64_t to) const {
    charge(world_, to - from, [&] { return stream_range{&file, from, to}.pieces(); });
  }
  static constexpr int tag = link_tag;
  // Rounds need different tags: if there is too little room, receives of a round may begin after
  // some of the next round.
  static int tag_of(step const& now) noexcept { return tag + 1 + static_cast<int>(now.number & 1); }

  // Receives in progress: those of ranks [begin, end) in from_, and the buffers of those that are
  // not received in place.
  struct batch {
    std::size_t begin = 0, end = 0;
    std::vector<std::byte const*> packed;
  };

  static std::size_t index(step const& now) noexcept {
    return static_cast<std::size_t>(now.number & 1);
  }
  std::span<request> to_requests(step const& now) {
    return std::span(requests_).subspan(index(now) * (requests_.size() / 2), to_.size());
  }
  std::span<request> from_requests(step const& now) {
    return std::span(requests_).subspan(index(now) * (requests_.size() / 2) + to_.size(),
                                        from_.size());
  }
  window_part part(far_domain const& d, step const& now) const {
    return schedule_.takes_part(d.domain, now) ? d.mine.within(schedule_.window_of(d.domain, now))
                                               : window_part();
  }
  request start_send(std::span<std::byte const> message, int to, step const& now) {
    ++done_.messages;
    done_.message_bytes += static_cast<std::int64_t>(message.size());
    tell_message(message_end::sent, to, static_cast<std::int64_t>(message.size()));
    return world_.start_send(message, to, tag_of(now));
  }

  void receive_some(step const& now, file_window const& w, std::byte* window) {
    std::span<request> const mine = from_requests(now);
    batch& b = batches_[index(now)];
    b.packed.clear();
    std::int64_t used = 0;
    for (b.end = b.begin; b.end < from_.size(); ++b.end) {
      far_rank const& f = from_[b.end];
      window_part const p = f.theirs.within(w);
      if (p.empty() || p.file.dense != 0) {
        b.packed.push_back(nullptr);
      } else {
        if (used + p.bytes() > plan_.window_bytes) return;
        b.packed.push_back(kept_.incoming[index(now)].get(plan_.window_bytes) + used);
        used += p.bytes();
      }
      if (p.empty()) continue;
      std::byte* const into = p.file.dense != 0 ? window + (p.file.low - w.begin)
                                                : const_cast<std::byte*>(b.packed.back());
      mine[b.end] =
          world_.start_receive({into, static_cast<std::size_t>(p.bytes())}, f.rank, tag_of(now));
    }
  }

  World const& world_;
  link_memory& kept_;
  collective_plan const& plan_;
  round_schedule<World> const& schedule_;
  report& done_;
  std::vector<far_domain> to_;
  std::vector<far_rank> from_;
  std::vector<request> requests_;
  std::array<batch, 2> batches_;
};

// Links of a world without messages: all ranks are on one node.
struct no_links {
  template <class... All>
  explicit no_links(All&&...) {}
  static constexpr bool none() noexcept { return true; }
  template <class... All>
  void begin(All&&...) {}
  template <class... All>
  void send(All&&...) {}
  template <class... All>
  void post(All&&...) {}
  template <class... All>
  void collect(All&&...) {}
  template <class... All>
  void expect(All&&...) {}
  template <class... All>
  void take(All&&...) {}
  template <class... All>
  void for_each_share(All&&...) const {}
  template <class... All>
  void answer(All&&...) {}
  template <class... All>
  void settle(All&&...) {}
  void answered(step const&) {}
  void finish() {}
};

template <class World>
struct links_of {
  using type = no_links;
};
template <communicator World>
struct links_of<World> {
  using type = links<World>;
};

}  // namespace argosy::detail
