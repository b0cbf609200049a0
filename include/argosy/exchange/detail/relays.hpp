// Messages of a collective call between pairs of nodes. The data of all ranks of a node for one
// aggregator on another node is combined in shared memory, and travels as one message. When
// reading, it is distributed there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/exchange/detail/chunks.hpp>
#include <argosy/exchange/detail/node_stage.hpp>
#include <argosy/exchange/detail/node_windows.hpp>
#include <argosy/exchange/detail/relay_table.hpp>
#include <argosy/exchange/detail/round_schedule.hpp>
#include <argosy/exchange/detail/runs.hpp>
#include <argosy/exchange/detail/staging.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/world/charging.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// The memory of relays, kept for later calls.
struct relay_memory {
  relay_table table;
  node_stage stage;  // the stage of the relays
  // For even and odd steps. On a relay: its messages, the bytes it asks for and gets. On an
  // aggregator: the bytes it is asked for, and its answers.
  std::array<chunks, 2> outgoing, asked, heard;
  std::array<staging, 2> first_messages, packed;
  staging long_messages;
};

// All ranks of a node visit the windows of other nodes' aggregators in the same order. They copy
// their part (or mark which bytes they want) into the memory of the window's relay, which has two
// such places. In each step a relay sends a message for each of its windows, even an empty one. So
// aggregators know the senders in advance. Views do not travel: a message says which bytes it has.
// Long messages are sent in two parts; receivers learn the length from the first.
//
// There is no deadlock. At a window, a rank waits only for ranks that are not as far, or for the
// relay. The relay does its work at its next window at the latest. A rank also waits for messages
// that begin in the same step or an earlier one.
template <communicator World>
class relays {
 public:
  using request = typename World::request;

  // `near`: the domains of this node in ascending order; `own`: that of this rank. Local.
  relays(World const& world, seats const& node, relay_memory& kept, collective_plan const& plan,
         round_schedule<World> const& schedule, std::vector<std::size_t> const& near,
         std::optional<std::size_t> own, node_windows<World>& images, report& done)
      : world_(world),
        seats_(node),
        kept_(kept),
        plan_(plan),
        schedule_(schedule),
        near_(near),
        own_(own),
        images_(images),
        done_(done) {
    count_ = std::min<std::size_t>(seats_.ranks.size(), most_relays);
    visited_.assign(count_, 0);
    std::int64_t const d = std::ssize(plan.domains);
    first_ = static_cast<std::size_t>(d * kept_.table.own() / kept_.table.nodes());
    if (place() < count_) most_sends_ = domains_dealt();
    others_ = own_ ? kept_.table.nodes() - 1 : 0;
    half_ = 3 * most_sends_ + (own_ ? 2 * batch + static_cast<std::size_t>(others_) : 0);
    requests_.resize(2 * half_);
    for (auto& a : asks_) a.resize(static_cast<std::size_t>(others_));
  }

  std::span<request> requests() { return requests_; }
  void finish() {
    wait_for(requests_);
    for (std::size_t s = 0; s < count_; ++s)
      kept_.stage.rounds_before(s) += static_cast<std::uint64_t>(visited_[s]);
  }

  // --- Writing, at a rank and its relays ---

  // Gives this rank's parts to the relays, which send them. Returns their bytes.
  std::int64_t write(step const& now) {
    begin(now);
    std::int64_t placed = 0;
    std::optional<visit> mine;
    for_each_window(now, [&](visit const& v) {
      placed += images_.fill(v.relay, v.number, v.reused, v.window);
      if (v.relay != place()) return;
      if (mine) forward(now, *mine);
      mine = v;
    });
    if (mine) forward(now, *mine);
    return placed;
  }

  // --- Writing, at an aggregator ---

  // Begins to receive the data of other nodes for this window.
  void post(step const& now) { start_heads(now, 0); }
  // Copies the data into the window, and marks it.
  void collect(step const& now, std::byte* window, window_marks& all);

  // --- Reading, at a rank and its relays ---

  // Marks at the relays which bytes this rank wants. The relays ask for them.
  void ask(step const& now) {
    begin(now);
    kept_.asked[index(now)].clear();
    answers_[index(now)].clear();
    std::optional<visit> mine;
    for_each_window(now, [&](visit const& v) {
      images_.ask(v.relay, v.number, v.reused, v.window, true);
      if (v.relay != place()) return;
      if (mine) ask_for(now, *mine);
      mine = v;
    });
    if (mine) ask_for(now, *mine);
  }
  // Copies this rank's parts out of the relays' windows. Calls f(to, wanted) for each, in its
  // stream.
  template <class F>
  void take(step const& now, F&& f) {
    std::size_t next = 0;
    for_each_window(
        now,
        [&](visit const& v) {
          if (v.relay == place()) deal_out(v, answers_[index(now)][next++]);
          auto const [to, wanted] = images_.take(v.relay, v.number, v.window);
          f(to, wanted);
        },
        taken_);
  }

  // --- Reading, at an aggregator ---

  // Receives which bytes other nodes want from this window. The lists are valid until the window is
  // answered.
  void hear(step const& now);
  // Calls f(from, length) for the bytes that other nodes want, counted from the begin of the
  // window.
  template <class F>
  void for_each_run(step const& now, F&& f) const {
    for (std::span<std::byte const> const runs : asks_[index(now)]) detail::for_each_run(runs, f);
  }
  // Waits until the answers of the step before last are sent. Then their window may be used again.
  void answered(step const& now) { wait_for(replies(now)); }
  // Sends other nodes the bytes that they want from the window, as far as these lie before `end`,
  // an offset in the window.
  void answer(step const& now, std::byte const* window, std::int64_t end);

 private:
  static constexpr std::size_t batch = 32;  // number of first messages that are received at a time
  // length of a first message: short enough to be sent at once by most networks
  static constexpr std::int64_t most_head_bytes = 8192;
  struct head {
    std::int64_t run_bytes = 0, data_bytes = 0;
    std::int64_t total() const noexcept {
      return static_cast<std::int64_t>(sizeof(head)) + run_bytes + data_bytes;
    }
  };

  // The visit of this node's ranks to a window of an aggregator on another node.
  struct visit {
    std::size_t domain = 0, relay = 0;
    std::uint64_t number = 0;
    bool reused = false;
    file_window window = {};
  };
  struct answer_from {
    std::span<std::byte const> runs;
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
    std::size_t request = 0;
  };

  static std::int64_t pieces_of(std::span<std::byte const> runs) {
    std::int64_t n = 0;
    detail::for_each_run(runs, [&](std::int64_t, std::int64_t) { ++n; });
    return n;
  }
  std::size_t place() const noexcept { return static_cast<std::size_t>(seats_.mine); }
  // Returns the number of domains on other nodes that are dealt to this rank.
  std::size_t domains_dealt() const {
    std::size_t const n = plan_.domains.size(), first = place();
    auto const near = std::count_if(near_.begin(), near_.end(),
                                    [&](std::size_t a) { return a % count_ == first; });
    return (n + count_ - 1 - first) / count_ - static_cast<std::size_t>(near);
  }

  template <class F>
  void for_each_window(step const& now, F&& f) {
    for_each_window(now, std::forward<F>(f), visited_);
  }
  // Calls f(visit) in the order of this node. Nodes begin at different aggregators. `counts`:
  // windows of each relay, over all steps.
  template <class F>
  void for_each_window(step const& now, F&& f, std::vector<std::int64_t>& counts) {
    if (counts.empty()) counts.assign(count_, 0);
    std::size_t const n = plan_.domains.size();
    std::size_t near = static_cast<std::size_t>(
        std::lower_bound(near_.begin(), near_.end(), first_) - near_.begin());
    for (std::size_t i = 0, a = first_; i < n; ++i, a = a + 1 == n ? 0 : a + 1) {
      if (a == 0) near = 0;
      if (near < near_.size() && near_[near] == a) {
        ++near;
        continue;
      }
      if (!schedule_.takes_part(a, now)) continue;
      std::size_t const relay = a % count_;
      std::int64_t const before = counts[relay]++;
      f(visit{a, relay, kept_.stage.rounds_before(relay) + static_cast<std::uint64_t>(before),
              before >= 2, schedule_.window_of(a, now)});
    }
  }

  void begin(step const& now) {
    wait_for(sends(now));
    sent_ = 0;
    kept_.outgoing[index(now)].clear();
    kept_.heard[index(now)].clear();
  }

  // Called by the relay. Waits until all ranks of the node have come, sends their parts, and
  // releases the place.
  void forward(step const& now, visit const& v) {
    images_.await_all(v.relay, v.number);
    runs_.clear();
    std::int64_t const bytes =
        write_runs(images_.covered(v.relay, v.number, v.window), v.window, plan_.granule, runs_);
    std::byte const* const image = images_.window(v.relay, v.number);
    std::byte* const message = compose(now, bytes);
    if (message) {
      std::byte* to = message + sizeof(head) + runs_.size();
      detail::for_each_run(runs_, [&](std::int64_t from, std::int64_t length) {
        if (copies(world_)) std::memcpy(to, image + from, static_cast<std::size_t>(length));
        to += length;
      });
      charge(world_, bytes, [&] { return pieces_of(runs_); });
    }
    images_.give_back(v.relay, v.number);
    send(now, v, message, bytes);
  }
  void ask_for(step const& now, visit const& v) {
    images_.await_all(v.relay, v.number);
    runs_.clear();
    std::int64_t const bytes =
        write_runs(images_.covered(v.relay, v.number, v.window), v.window, plan_.granule, runs_);
    images_.release(v.relay);
    answer_from a;
    if (bytes > 0) {
      std::byte* const runs = kept_.asked[index(now)].get(std::ssize(runs_));
      std::copy(runs_.begin(), runs_.end(), runs);
      a = {{runs, runs_.size()},
           kept_.asked[index(now)].get(bytes),
           bytes,
           index(now) * half_ + 2 * most_sends_ + answers_[index(now)].size()};
      requests_[a.request] =
          world_.start_receive({a.data, static_cast<std::size_t>(bytes)},
                               plan_.domains[v.domain].rank, tag_of(now, answers));
    }
    answers_[index(now)].push_back(a);
    send(now, v, compose(now, 0), 0);
  }
  // Returns memory for a message of the runs and `bytes` bytes. The runs are already in it. Null if
  // there are no runs.
  std::byte* compose(step const& now, std::int64_t bytes) {
    if (runs_.empty()) return nullptr;
    head const h{std::ssize(runs_), bytes};
    std::byte* const message = kept_.outgoing[index(now)].get(h.total());
    std::memcpy(message, &h, sizeof h);
    std::memcpy(message + sizeof h, runs_.data(), runs_.size());
    return message;
  }
  void send(step const& now, visit const& v, std::byte const* message, std::int64_t bytes) {
    head const h{std::ssize(runs_), bytes};
    auto const total = message ? static_cast<std::size_t>(h.total()) : 0;
    std::size_t const first = std::min<std::size_t>(total, most_head_bytes);
    done_.view_bytes += static_cast<std::int64_t>(total) - bytes;
    done_.message_bytes += bytes;
    std::span<request> const mine = sends(now);
    int const to = plan_.domains[v.domain].rank;
    mine[2 * sent_] = start_send({message, first}, to, tag_of(now, firsts));
    if (total > first)
      mine[2 * sent_ + 1] = start_send({message + first, total - first}, to, tag_of(now, rests));
    ++sent_;
  }

  // Called by the relay. Copies an answer to the place from which the ranks of the node take it.
  void deal_out(visit const& v, answer_from const& a);

  // --- First messages and the rest of long ones, at an aggregator ---

  int other(std::int64_t i) const { return kept_.table.relay(i, *own_); }
  std::span<request> heads(step const& now) {
    return std::span(requests_).subspan(index(now) * half_ + 3 * most_sends_, batch);
  }
  std::span<request> long_ones(step const& now) {
    return std::span(requests_).subspan(index(now) * half_ + 3 * most_sends_ + batch, batch);
  }
  std::span<request> replies(step const& now) {
    if (!own_) return {};
    return std::span(requests_).subspan(index(now) * half_ + 3 * most_sends_ + 2 * batch,
                                        static_cast<std::size_t>(others_));
  }
  std::byte* head_of(step const& now, std::size_t i) {
    return first_messages(now) + i * most_head_bytes;
  }
  std::byte* first_messages(step const& now) {
    return kept_.first_messages[index(now)].get(static_cast<std::int64_t>(batch) * most_head_bytes);
  }

  void start_heads(step const& now, std::int64_t from);
  // Calls f(i, runs, data) for each message of this step that is not empty.
  template <class F>
  void receive(step const& now, F&& f);
  // Receives messages from the i-th on: as many as there is room for the rest of long ones, and at
  // least one. Returns the index of the next.
  template <class F>
  std::int64_t receive_some(step const& now, std::int64_t from, std::int64_t i, std::int64_t to,
                            F&& f);

  // --- Messages ---

  enum kind_of_message { firsts, rests, answers };
  // Each rank of a pair may be the relay of one and the aggregator of the other. So each kind of
  // message has tags of its own.
  static int tag_of(step const& now, kind_of_message kind) noexcept {
    return 32752 + 2 * static_cast<int>(kind) + static_cast<int>(now.number & 1);
  }
  static std::size_t index(step const& now) noexcept {
    return static_cast<std::size_t>(now.number & 1);
  }
  std::span<request> sends(step const& now) {
    return std::span(requests_).subspan(index(now) * half_, 2 * most_sends_);
  }

  request start_send(std::span<std::byte const> message, int to, int tag) {
    ++done_.messages;
    tell_message(message_end::sent, to, static_cast<std::int64_t>(message.size()));
    return world_.start_send(message, to, tag);
  }
  void wait_for(std::span<request> requests) {
    if (requests.empty()) return;
    in_phase const now(phase::waiting);
    World::wait_all(requests);
  }

  World const& world_;
  seats const& seats_;
  relay_memory& kept_;
  collective_plan const& plan_;
  round_schedule<World> const& schedule_;
  std::vector<std::size_t> const& near_;
  std::optional<std::size_t> own_;  // the domain of this rank
  node_windows<World>& images_;
  report& done_;
  std::size_t count_ = 1;                      // number of relays of this node
  std::size_t first_ = 0;                      // the domain with which this node begins
  std::vector<std::int64_t> visited_, taken_;  // windows of each relay in this call
  std::size_t most_sends_ = 0, sent_ = 0;      // windows of this rank in a step, at most and so far
  std::int64_t others_ = 0;  // number of other nodes from which this aggregator gets messages
  std::size_t half_ = 0;     // number of requests of one step
  std::vector<request>
      // for even and odd steps: sends and rests, answers to this rank; heads, rests, answers
      requests_;
  std::array<std::vector<answer_from>, 2> answers_;
  std::array<std::vector<std::span<std::byte const>>, 2> asks_;  // for each other node
  std::vector<std::byte> runs_;
};

// A world without messages has no relays: all its ranks are on one node.
template <class World>
struct relays_of {
  struct type {};
};
template <communicator World>
struct relays_of<World> {
  using type = relays<World>;
};

}  // namespace argosy::detail

#include <argosy/exchange/detail/relays_receiving.hpp>
