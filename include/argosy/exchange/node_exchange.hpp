// Carries out a collective plan among ranks that share memory: every rank copies its pieces straight between its own memory
// and the aggregators' windows; aggregators move windows between there and the file. No messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/agree/failure.hpp>
#include <argosy/exchange/node_stage.hpp>
#include <argosy/exchange/window_writer.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy {

// Whatever fails on a rank, it goes on to the end of the call: the others wait for it at every window. Makes no call of MPI.
//
// Writing, round k of aggregator a: every rank waits until a's window of round k - 2 is written, fills its part of the
// window and arrives; a waits until all have arrived, writes what is covered, and releases the window.
// Reading: every rank says what it wants; a reads from the first to the last wanted byte and releases the window; every rank
// takes its part, and arrives at `emptied`.
template <node_waiting World, handle H, class Memory>
class node_exchange {
 public:
  node_exchange(World const& world, node_stage& stage, collective_plan const& plan, access const& mine, H& file,
                Memory& memory, sieving const& prices, merging how, staging& space, report& done)
      : world_(world),
        stage_(stage),
        plan_(plan),
        mine_(mine),
        file_(file),
        memory_(memory),
        writer_(file, prices, how, space, done),
        done_(done) {}

  failure run() {
    prepare();
    if (plan_.kind == access_kind::write)
      write();
    else
      read();
    for (std::size_t a = 0; a < plan_.domains.size(); ++a)
      stage_.rounds_before(a) += static_cast<std::uint64_t>(plan_.rounds_of(plan_.domains[a]));
    done_.rounds = plan_.rounds();
    return std::move(failed_);
  }

 private:
  using share = node_stage::share;
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  struct part {  // of the stream, and of the file
    std::int64_t from, to;
    share bytes;
  };

  void prepare() {
    std::size_t const n = plan_.domains.size();
    for (std::size_t a = 0; a < n; ++a) {
      if (plan_.domains[a].rank != world_.rank()) continue;
      owned_.push_back(a);
      stage_.of(a).failed_round = none;
    }
    // Every rank begins with another aggregator, so that few meet in a window.
    first_ = n == 0 ? 0 : static_cast<std::size_t>(world_.rank()) * n / static_cast<std::size_t>(world_.size());
    covered_.resize(static_cast<std::size_t>(marks::words_for(plan_.window_bytes / plan_.granule)));
  }

  // Where the byte of the file at or after `offset` stands in this rank's stream, within the access.
  std::int64_t stream_at(std::int64_t offset) const {
    if (mine_.bytes == 0) return mine_.position;
    return std::clamp(mine_.file.bytes_before(offset), mine_.position, mine_.end());
  }
  part part_of(file_window const& w) const {
    part p{stream_at(w.begin), stream_at(w.end), {}};
    if (p.from == p.to) return p;
    p.bytes.low = cursor(mine_.file, p.from).current().offset;
    p.bytes.high = cursor(mine_.file, p.to - 1).current().offset + 1;
    p.bytes.dense = p.bytes.high - p.bytes.low == p.to - p.from ? 1 : 0;
    return p;
  }

  template <class F>
  void for_each_aggregator(std::int64_t round, F&& f) {
    std::size_t const n = plan_.domains.size();
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t const a = (first_ + i) % n;
      if (round < plan_.rounds_of(plan_.domains[a])) f(a, plan_.window_of(plan_.domains[a], round));
    }
  }
  template <class F>
  void for_each_owned(std::int64_t round, F&& f) {
    for (std::size_t const a : owned_)
      if (round < plan_.rounds_of(plan_.domains[a])) f(a, plan_.window_of(plan_.domains[a], round));
  }

  // What code of the user throws (a data representation) must not keep this rank from going on.
  template <class F>
  bool guarded(F&& f) {
    try {
      f();
      return true;
    } catch (...) {
      failure thrown(errc::conversion, "a data representation threw");
      thrown.thrown = std::current_exception();
      failed_.keep(std::move(thrown));
      return false;
    }
  }

  // --- counters ---

  // The number of round k of this call among all.
  std::uint64_t number(std::size_t a, std::int64_t k) {
    return stage_.rounds_before(a) + static_cast<std::uint64_t>(k);
  }
  // What counters stand at when the last rank has come to the window of a round, or it is released. They wrap around.
  std::uint32_t everybody(std::uint64_t round) const {
    return static_cast<std::uint32_t>((round / 2 + 1) * static_cast<std::uint64_t>(world_.size()));
  }
  static std::uint32_t released(std::uint64_t round) { return static_cast<std::uint32_t>(round + 1); }

  void await(std::uint32_t& word, std::uint32_t target) {
    std::atomic_ref<std::uint32_t> const w(word);
    for (;;) {
      std::uint32_t const seen = w.load(std::memory_order_acquire);
      if (static_cast<std::int32_t>(seen - target) >= 0) return;
      world_.wait(word, seen);
    }
  }
  void count(std::uint32_t& word, std::uint32_t awaited) {
    if (std::atomic_ref(word).fetch_add(1, std::memory_order_acq_rel) + 1 == awaited) world_.wake(word);
  }
  void release(std::size_t a) {
    std::uint32_t& word = stage_.of(a).released;
    std::atomic_ref(word).fetch_add(1, std::memory_order_release);
    world_.wake(word);
  }

  // --- writing ---

  void write() {
    std::int64_t const rounds = plan_.rounds();
    for (std::int64_t k = 0; k <= rounds; ++k) {
      for_each_aggregator(k, [&](std::size_t a, file_window const& w) { fill(a, k, w); });
      if (k > 0) for_each_owned(k - 1, [&](std::size_t a, file_window const& w) { empty_to_file(a, k - 1, w); });
    }
  }

  void fill(std::size_t a, std::int64_t k, file_window const& w) {
    node_stage::counters& c = stage_.of(a);
    std::uint64_t const n = number(a, k);
    if (k >= 2) await(c.released, released(n - 2));
    part p = part_of(w);
    if (p.from < p.to) {
      bool const placed = guarded([&] {
        memory_.place(at(-w.begin, mine_.file), stage_.window(a, n), p.from, p.from - mine_.position, p.to - p.from);
      });
      if (!placed)
        p.bytes = {};  // nothing of it is written
      else if (p.bytes.dense == 0)
        mark(a, n, w, p);
      if (placed) done_.bytes += p.to - p.from;
    }
    stage_.share_of(a, n, world_.rank()) = p.bytes;
    count(c.arrived[n & 1], everybody(n));
  }

  std::span<std::uint64_t> words_of(std::span<std::uint64_t> words, file_window const& w, share const& s) const {
    std::int64_t const from = (s.low - w.begin) / plan_.granule / 64,
                       to = marks::words_for((s.high - w.begin + plan_.granule - 1) / plan_.granule);
    return words.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
  }
  void mark(std::size_t a, std::uint64_t n, file_window const& w, part const& p) {
    std::span<std::uint64_t> const words = stage_.marks_of(a, n, world_.rank());
    marks(words_of(words, w, p.bytes)).clear();
    marks(words).set(mine_.file, p.from, p.to, w.begin, plan_.granule);
  }

  void empty_to_file(std::size_t a, std::int64_t k, file_window const& w) {
    node_stage::counters& c = stage_.of(a);
    std::uint64_t const n = number(a, k);
    await(c.arrived[n & 1], everybody(n));
    marks all(covered_);
    all.clear();
    for (std::int64_t r = 0; r < world_.size(); ++r) {
      share const& s = stage_.share_of(a, n, r);
      if (s.low == s.high) continue;
      if (s.dense != 0)
        all.set((s.low - w.begin) / plan_.granule, (s.high - w.begin + plan_.granule - 1) / plan_.granule);
      else
        marks(words_of(covered_, w, s)).merge(words_of(stage_.marks_of(a, n, r), w, s));
    }
    if (std::error_code const error = writer_.write(w, stage_.window(a, n), all, plan_.granule))
      fail(a, k, w, error, "writing");
    std::atomic_ref(c.emptied[n & 1]).fetch_add(static_cast<std::uint32_t>(world_.size()), std::memory_order_relaxed);
    release(a);
  }

  void fail(std::size_t a, std::int64_t k, file_window const& w, std::error_code error, char const* what) {
    std::int64_t& first = stage_.of(a).failed_round;
    first = std::min(first, k);
    failed_.keep({error, std::string(what) + " the window [" + std::to_string(w.begin) + ", " + std::to_string(w.end) +
                             ") of the file, round " + std::to_string(k + 1) + " of " +
                             std::to_string(plan_.rounds())});
  }

  // --- reading ---

  void read() {
    std::int64_t const rounds = plan_.rounds();
    for (std::int64_t k = -1; k < rounds; ++k) {
      for_each_aggregator(k + 1, [&](std::size_t a, file_window const& w) { ask(a, k + 1, w); });
      for_each_owned(k + 1, [&](std::size_t a, file_window const& w) { fill_from_file(a, k + 1, w); });
      if (k >= 0) for_each_aggregator(k, [&](std::size_t a, file_window const& w) { take(a, k, w); });
    }
  }

  void ask(std::size_t a, std::int64_t k, file_window const& w) {
    std::uint64_t const n = number(a, k);
    stage_.share_of(a, n, world_.rank()) = part_of(w).bytes;
    count(stage_.of(a).arrived[n & 1], everybody(n));
  }

  void fill_from_file(std::size_t a, std::int64_t k, file_window const& w) {
    node_stage::counters& c = stage_.of(a);
    std::uint64_t const n = number(a, k);
    await(c.arrived[n & 1], everybody(n));
    if (k >= 2) await(c.emptied[n & 1], everybody(n - 2));
    share all{none, 0, 0};
    for (std::int64_t r = 0; r < world_.size(); ++r) {
      share const& s = stage_.share_of(a, n, r);
      if (s.low == s.high) continue;
      all.low = std::min(all.low, s.low);
      all.high = std::max(all.high, s.high);
    }
    c.end[n & 1] = w.begin;
    if (all.low < all.high) {
      ++done_.windows;
      std::byte* const to = stage_.window(a, n) + (all.low - w.begin);
      io_result const got = file_.read(all.low, {to, static_cast<std::size_t>(all.high - all.low)});
      ++done_.read_calls;
      done_.bytes_read += got.bytes;
      c.end[n & 1] = all.low + got.bytes;
      if (got.error) fail(a, k, w, got.error, "reading");
    }
    release(a);
  }

  void take(std::size_t a, std::int64_t k, file_window const& w) {
    node_stage::counters& c = stage_.of(a);
    std::uint64_t const n = number(a, k);
    await(c.released, released(n));
    std::int64_t const from = stream_at(w.begin), to = stream_at(std::min(w.end, c.end[n & 1]));
    if (from < to) {
      guarded([&] {
        memory_.take(at(-w.begin, mine_.file), stage_.window(a, n), from, from - mine_.position, to - from);
        done_.bytes += to - from;
      });
    }
    count(c.emptied[n & 1], everybody(n));
  }

  World const& world_;
  node_stage& stage_;
  collective_plan const& plan_;
  access const& mine_;
  H& file_;
  Memory& memory_;
  window_writer<H> writer_;
  report& done_;
  std::vector<std::size_t> owned_;
  std::vector<std::uint64_t> covered_;
  std::size_t first_ = 0;
  failure failed_;
};

// Of a write, after all ranks have agreed that something failed: what this rank wrote in windows before the first that failed,
// aggregator by aggregator.
inline std::int64_t settled_bytes(node_stage& stage, collective_plan const& plan, access const& mine) {
  auto const stream_at = [&](std::int64_t offset) {
    return std::clamp(mine.file.bytes_before(offset), mine.position, mine.end());
  };
  std::int64_t bytes = 0;
  if (mine.bytes == 0) return 0;
  for (std::size_t a = 0; a < plan.domains.size(); ++a) {
    file_domain const& d = plan.domains[a];
    bytes += stream_at(plan.window_of(d, stage.of(a).failed_round).begin) - stream_at(d.begin);
  }
  return bytes;
}

}  // namespace argosy
