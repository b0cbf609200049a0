// Carries out a collective plan: every rank copies its pieces straight between its own memory and the windows of the
// aggregators of its node, and exchanges messages with others; aggregators move windows between there and the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
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
#include <argosy/exchange/detail/node_stage.hpp>
#include <argosy/exchange/detail/round_schedule.hpp>
#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/exchange/detail/window_writer.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// The ranks that share a stage: this rank alone if no memory can be shared.
struct seats {
  std::vector<int> ranks;  // ascending
  int mine = 0;            // the index of this rank
};

// A rank that fails goes on to the end of the call, because the others wait for it at every window. If all ranks are on one
// node, no MPI call is made.
//
// Writing, step k of aggregator a: every rank of a's node waits until a's window of step k - 2 is written, fills its part of
// the window and arrives; ranks of other nodes send theirs. a waits for all, writes the covered bytes and releases the window.
// Reading: every rank of a's node says what it wants; a reads from the first to the last wanted byte, releases the window and
// sends other nodes what they want; every rank takes its part, and arrives at `emptied`.
template <agreeing World, handle H, class Memory>
class collective_exchange {
 public:
  collective_exchange(World const& world, seats const& node, node_stage& stage, link_memory& kept,
                      collective_plan const& plan, std::int64_t all_bytes, access const& mine, H& h, Memory& memory,
                      sieving const& prices, merging how, staging& space, report& done)
      : world_(world),
        seats_(node),
        stage_(stage),
        plan_(plan),
        mine_(mine),
        range_{&mine.file, mine.position, mine.end()},
        file_(h),
        memory_(memory),
        writer_(h, prices, how, space, done, plan.max_ranges),
        done_(done),
        schedule_(world, plan, range_, all_bytes),
        links_(world, kept, plan, done) {}

  // `view` numbers the views of this rank.
  failure run(std::uint64_t view) {
    prepare(view);
    if (plan_.kind == access_kind::write)
      write();
    else
      read();
    links_.finish();
    if (std::error_code const e = writer_.end()) failed_.keep({e, "unlocking"});
    if (plan_.kind == access_kind::read) done_.bytes = bytes_before_gap();
    for (std::size_t s = 0; s < near_.size(); ++s) stage_.rounds_before(s) += steps_[s];
    done_.rounds = schedule_.steps();
    return std::move(failed_);
  }

  // For a write, after all ranks have agreed that something failed: the bytes of this rank that were written, from the start of
  // its stream to the first window that failed. Collective.
  std::int64_t settled_bytes() {
    auto const look = [&](std::size_t a, std::int64_t failed_round) {
      for_each_part(plan_, plan_.domains[a], range_, failed_round,
                    [&](std::int64_t, file_window const&, window_part const& p) {
                      came_to(p.from, p.to);
                      return false;
                    });
    };
    for (std::size_t s = 0; s < near_.size(); ++s) look(near_[s], stage_.of(s).failed_round);
    links_.settle(own_ ? stage_.of(*own_).failed_round : none, look);
    return bytes_before_gap();
  }

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  void prepare(std::uint64_t view) {
    std::vector<far_domain> far;
    for (std::size_t a = 0; a < plan_.domains.size(); ++a) {
      file_domain const& d = plan_.domains[a];
      auto const place = std::lower_bound(seats_.ranks.begin(), seats_.ranks.end(), d.rank);
      bool const near = place != seats_.ranks.end() && *place == d.rank;
      if (near) {
        if (d.rank == world_.rank()) {
          own_ = near_.size();
          stage_.of(near_.size()).failed_round = none;
        }
        near_.push_back(a);
      } else if (stream_range const part{&mine_.file, range_.before(d.begin), range_.before(d.end)};
                 has_bytes(d, part)) {
        far.push_back({a, d.rank, part});
      }
    }
    if (static_cast<int>(seats_.ranks.size()) < world_.size()) links_.begin(view, std::move(far));
    // Every rank begins with a different aggregator, so that few ranks meet in a window.
    if (!near_.empty()) first_ = static_cast<std::size_t>(seats_.mine) * near_.size() / seats_.ranks.size();
    steps_.assign(near_.size(), 0);
    if (own_) covered_.resize(static_cast<std::size_t>(marks::words_for(plan_.window_bytes / plan_.granule)));
  }

  bool has_bytes(file_domain const& d, stream_range const& part) const {
    bool any = part.from < part.to;
    if (!any || !d.striped()) return any;
    any = false;
    for_each_part(plan_, d, part, 0,
                  [&](std::int64_t, file_window const&, window_part const&) { return !(any = true); });
    return any;
  }

  file_domain const& domain(std::size_t s) const { return plan_.domains[near_[s]]; }
  template <class F>
  void for_each_near(step const& k, F&& f) {
    for (std::size_t i = 0; i < near_.size(); ++i) {
      std::size_t const s = (first_ + i) % near_.size();
      if (k.round < plan_.rounds_of(domain(s))) f(s, plan_.window_of(domain(s), k.round));
    }
  }
  template <class F>
  void if_aggregator(step const& k, F&& f) {
    if (own_ && k.round < plan_.rounds_of(domain(*own_))) f(*own_, plan_.window_of(domain(*own_), k.round));
  }
  // A domain takes part in the first steps, up to its last round.
  std::optional<step> next() {
    std::optional<step> const k = schedule_.next();
    for (std::size_t s = 0; k && s < near_.size(); ++s)
      if (k->round < plan_.rounds_of(domain(s))) ++steps_[s];
    return k;
  }

  // Notes that a part of the stream came up to `to`, where `wanted` was its end. Bytes behind a gap do not count.
  void came_to(std::int64_t to, std::int64_t wanted) {
    if (to < wanted) first_gap_ = std::min(first_gap_, to);
  }
  std::int64_t bytes_before_gap() const { return std::min(first_gap_, mine_.end()) - mine_.position; }

  // Exceptions of user code (a data representation, a handle) must not keep this rank from going on.
  template <class F>
  bool guarded(F&& f) {
    try {
      f();
      return true;
    } catch (...) {
      failed_.keep(failure_by("a data representation or handle of the program"));
      return false;
    }
  }

  // --- counters ---

  // The number of step k of this call among the steps of all calls.
  std::uint64_t number(std::size_t s, step const& k) {
    return stage_.rounds_before(s) + static_cast<std::uint64_t>(k.number);
  }
  // Values of `arrived` (or `emptied`) when all ranks are done with the round, and of `released` after it. They wrap around.
  std::uint32_t everybody(std::uint64_t round) const {
    return static_cast<std::uint32_t>((round / 2 + 1) * static_cast<std::uint64_t>(seats_.ranks.size()));
  }
  static std::uint32_t released(std::uint64_t round) { return static_cast<std::uint32_t>(round + 1); }

  void await(std::uint32_t& word, std::uint32_t target) {
    std::atomic_ref<std::uint32_t> const w(word);
    for (;;) {
      std::uint32_t const seen = w.load(std::memory_order_acquire);
      if (static_cast<std::int32_t>(seen - target) >= 0) return;
      in_phase const now(phase::waiting);
      // A rank that is alone on its node never gets here: it finds everything done.
      if constexpr (node_waiting<World> && messaging<World>)
        world_.wait(word, seen, links_.requests());
      else if constexpr (node_waiting<World>)
        world_.wait(word, seen);
    }
  }
  void wake(std::uint32_t& word) {
    if constexpr (node_waiting<World>) world_.wake(word);
  }
  void count(std::uint32_t& word, std::uint32_t awaited) {
    if (std::atomic_ref(word).fetch_add(1, std::memory_order_acq_rel) + 1 == awaited) wake(word);
  }
  void release(std::size_t s) {
    std::uint32_t& word = stage_.of(s).released;
    std::atomic_ref(word).fetch_add(1, std::memory_order_release);
    wake(word);
  }

  // Of one half of it: to the aggregators, or between them and the file. The other half is in a span of the same number.
  static in_phase in_round(step const& k) {
    return in_phase(phase::exchange, {.name = "round", .number = k.round + 1});
  }

  // --- writing ---

  void write() {
    std::optional<step> before, now = next();
    for (; now || before; before = now, now = next()) {
      if (now) {
        in_phase const half = in_round(*now);
        if (!links_.none()) exchange_messages(*now);
        for_each_near(*now, [&](std::size_t s, file_window const& w) { fill(s, *now, w); });
      }
      if (before)
        if_aggregator(*before, [&](std::size_t s, file_window const& w) {
          in_phase const half = in_round(*before);
          empty_to_file(s, *before, w);
        });
    }
  }

  void exchange_messages(step const& k) {
    // This rank has written its window of round k - 2.
    if_aggregator(k, [&](std::size_t s, file_window const& w) { links_.post(k, w, stage_.window(s, number(s, k))); });
    links_.send(
        k,
        [&](std::int64_t from, std::int64_t to, std::byte* stream) {
          return guarded([&] { memory_.gather(from - mine_.position, to - mine_.position, stream); });
        },
        [&](std::int64_t from) { return memory_.stretch(from - mine_.position); });
  }

  void fill(std::size_t s, step const& k, file_window const& w) {
    node_stage::counters& c = stage_.of(s);
    std::uint64_t const n = number(s, k);
    if (k.number >= 2) await(c.released, released(n - 2));
    window_part p = range_.within(w);
    if (!p.empty()) {
      bool const placed = guarded([&] {
        memory_.place(at(-w.begin, mine_.file), stage_.window(s, n), p.from, p.from - mine_.position, p.bytes());
      });
      if (!placed)
        p.file = {};  // then nothing of it is written
      else if (p.file.dense == 0)
        mark(s, n, w, p);
      if (placed) done_.bytes += p.bytes();
    }
    stage_.share_of(s, n, seats_.mine) = p.file;
    count(c.arrived[n & 1], everybody(n));
  }

  std::span<std::uint64_t> words_of(std::span<std::uint64_t> words, file_window const& w, file_share const& s) const {
    std::int64_t const from = (s.low - w.begin) / plan_.granule / 64,
                       to = marks::words_for((s.high - w.begin + plan_.granule - 1) / plan_.granule);
    return words.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
  }
  void mark(std::size_t s, std::uint64_t n, file_window const& w, window_part const& p) {
    std::span<std::uint64_t> const words = stage_.marks_of(s, n, seats_.mine);
    marks(words_of(words, w, p.file)).clear();
    marks(words).set(mine_.file, p.from, p.to, w.begin, plan_.granule);
  }

  // The granules of the window that ranks of this node have marked.
  marks covered_by_node(std::size_t s, std::uint64_t n, file_window const& w) {
    marks all(covered_);
    all.clear();
    for (std::size_t r = 0; r < seats_.ranks.size(); ++r) {
      file_share const& f = stage_.share_of(s, n, static_cast<std::int64_t>(r));
      if (f.empty()) continue;
      if (f.dense != 0)
        cover(all, w, f);
      else
        marks(words_of(covered_, w, f)).merge(words_of(stage_.marks_of(s, n, static_cast<std::int64_t>(r)), w, f));
    }
    return all;
  }
  void cover(marks& all, file_window const& w, file_share const& dense) const {
    all.set((dense.low - w.begin) / plan_.granule, (dense.high - w.begin + plan_.granule - 1) / plan_.granule);
  }
  void cover(marks& all, file_window const& w, stream_range const& theirs, window_part const& p) const {
    if (p.file.dense != 0)
      cover(all, w, p.file);
    else
      all.set(*theirs.file, p.from, p.to, w.begin, plan_.granule);
  }

  void empty_to_file(std::size_t s, step const& k, file_window const& w) {
    node_stage::counters& c = stage_.of(s);
    std::uint64_t const n = number(s, k);
    await(c.arrived[n & 1], everybody(n));
    marks all = covered_by_node(s, n, w);
    if (!links_.none())
      links_.collect(k, w, stage_.window(s, n),
                     [&](stream_range const& theirs, window_part const& p) { cover(all, w, theirs, p); });
    // Declared without a value: g++ 12 at -O3 believes an earlier assignment was done where the call throws.
    std::error_code error;
    if (!guarded([&] { error = writer_.write(w, stage_.window(s, n), all, plan_.granule); })) error = errc::io;
    if (error) fail(s, k, w, error, "writing");
    std::atomic_ref(c.emptied[n & 1])
        .fetch_add(static_cast<std::uint32_t>(seats_.ranks.size()), std::memory_order_relaxed);
    release(s);
  }

  void fail(std::size_t s, step const& k, file_window const& w, std::error_code error, char const* what) {
    std::int64_t& first = stage_.of(s).failed_round;
    first = std::min(first, k.round);
    failed_.keep({error, std::string(what) + " the window [" + std::to_string(w.begin) + ", " + std::to_string(w.end) +
                             ") of the file, round " + std::to_string(k.round + 1) + " of " +
                             std::to_string(plan_.rounds())});
  }

  // --- reading ---

  void read() {
    std::optional<step> now, ahead = next();
    for (; ahead || now; now = ahead, ahead = next()) {
      if (ahead) {
        in_phase const half = in_round(*ahead);
        if (!links_.none())
          links_.expect(*ahead, [&](std::int64_t from) { return memory_.stretch(from - mine_.position); });
        for_each_near(*ahead, [&](std::size_t s, file_window const& w) { ask(s, *ahead, w); });
        if_aggregator(*ahead, [&](std::size_t s, file_window const& w) { fill_from_file(s, *ahead, w); });
      }
      if (!now) continue;
      in_phase const half = in_round(*now);
      for_each_near(*now, [&](std::size_t s, file_window const& w) { take(s, *now, w); });
      if (!links_.none())
        links_.take(*now, [&](std::byte const* stream, std::int64_t from, std::int64_t to, std::int64_t wanted) {
          bool const there =
              !stream || guarded([&] { memory_.scatter(stream, from - mine_.position, to - mine_.position); });
          came_to(there ? to : from, wanted);
        });
    }
  }

  void ask(std::size_t s, step const& k, file_window const& w) {
    std::uint64_t const n = number(s, k);
    window_part const p = range_.within(w);
    if (plan_.sparse && !p.empty() && p.file.dense == 0) mark(s, n, w, p);
    stage_.share_of(s, n, seats_.mine) = p.file;
    count(stage_.of(s).arrived[n & 1], everybody(n));
  }

  void fill_from_file(std::size_t s, step const& k, file_window const& w) {
    node_stage::counters& c = stage_.of(s);
    std::uint64_t const n = number(s, k);
    await(c.arrived[n & 1], everybody(n));
    if (k.number >= 2) await(c.emptied[n & 1], everybody(n - 2));
    links_.answered(k);
    file_share all{none, 0, 0};
    auto const add = [&](file_share const& f) {
      if (f.empty()) return;
      all.low = std::min(all.low, f.low);
      all.high = std::max(all.high, f.high);
    };
    for (std::size_t r = 0; r < seats_.ranks.size(); ++r) add(stage_.share_of(s, n, static_cast<std::int64_t>(r)));
    links_.for_each_share(w, [&](stream_range const&, window_part const& p) { add(p.file); });
    c.end[n & 1] = w.begin;
    if (all.low < all.high) {
      ++done_.windows;
      std::error_code error;
      if (!guarded([&] { error = plan_.sparse ? read_wanted(s, n, w) : read_hull(s, n, w, all); })) error = errc::io;
      if (error) fail(s, k, w, error, "reading");
    }
    release(s);
    links_.answer(k, w, stage_.window(s, n), c.end[n & 1]);
  }

  std::error_code read_hull(std::size_t s, std::uint64_t n, file_window const& w, file_share const& all) {
    std::byte* const to = stage_.window(s, n) + (all.low - w.begin);
    io_result const got = file_.read(all.low, {to, static_cast<std::size_t>(all.high - all.low)});
    ++done_.read_calls;
    done_.bytes_read += got.bytes;
    stage_.of(s).end[n & 1] = all.low + got.bytes;
    return got.error;
  }
  std::error_code read_wanted(std::size_t s, std::uint64_t n, file_window const& w) {
    marks all = covered_by_node(s, n, w);
    links_.for_each_share(w, [&](stream_range const& theirs, window_part const& p) { cover(all, w, theirs, p); });
    std::int64_t const bits = (w.length() + plan_.granule - 1) / plan_.granule;
    std::vector<read_part> parts;
    for (std::int64_t from = all.next_set(0, bits); from < bits;) {
      std::int64_t const to = all.next_clear(from, bits), begin = from * plan_.granule;
      std::int64_t const length = std::min(to * plan_.granule, w.length()) - begin;
      parts.push_back({w.begin + begin, {stage_.window(s, n) + begin, static_cast<std::size_t>(length)}});
      from = all.next_set(to, bits);
    }
    io_result const got = guided_transfer<read_part>(file_, parts, plan_.max_ranges, done_);
    done_.bytes_read += got.bytes;
    std::int64_t left = got.bytes;
    for (read_part const& p : parts) {
      std::int64_t const here = std::min(left, static_cast<std::int64_t>(p.memory.size()));
      if (left > 0 || &p == parts.data()) stage_.of(s).end[n & 1] = p.offset + here;
      left -= here;
    }
    return got.error;
  }

  void take(std::size_t s, step const& k, file_window const& w) {
    node_stage::counters& c = stage_.of(s);
    std::uint64_t const n = number(s, k);
    await(c.released, released(n));
    std::int64_t const from = range_.before(w.begin), to = range_.before(std::min(w.end, c.end[n & 1]));
    bool const there =
        from >= to || guarded([&] {
          memory_.take(at(-w.begin, mine_.file), stage_.window(s, n), from, from - mine_.position, to - from);
        });
    came_to(there ? to : from, range_.before(w.end));
    count(c.emptied[n & 1], everybody(n));
  }

  World const& world_;
  seats const& seats_;
  node_stage& stage_;
  collective_plan const& plan_;
  access const& mine_;
  stream_range range_;
  H& file_;
  Memory& memory_;
  window_writer<H> writer_;
  report& done_;
  round_schedule<World> schedule_;
  typename links_of<World>::type links_;
  std::vector<std::size_t> near_;     // domains of aggregators of this node, in the order of the stage
  std::optional<std::size_t> own_;    // index in near_
  std::vector<std::uint64_t> steps_;  // so far, of each near domain
  std::vector<std::uint64_t> covered_;
  std::size_t first_ = 0;
  std::int64_t first_gap_ = none;  // the first byte of the stream that was not transferred
  failure failed_;
};

}  // namespace argosy::detail
