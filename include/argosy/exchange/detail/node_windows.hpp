// Windows that the ranks of a node fill and empty together, in memory that they share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/exchange/detail/memory_side.hpp>
#include <argosy/exchange/detail/node_stage.hpp>
#include <argosy/exchange/detail/window_marks.hpp>
#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/layout/detail/marks.hpp>
#include <argosy/layout/detail/transfer.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/world/charging.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// The ranks that share a stage: this rank alone if no memory can be shared.
struct seats {
  std::vector<int> ranks;  // ascending
  int mine = 0;            // the index of this rank
  friend bool operator==(seats const&, seats const&) = default;
};

// Calls `f`, and stores what it throws as a failure of this rank. Exceptions of user code (a data
// representation, a handle) must not keep this rank from continuing.
template <class F>
bool guarded(failure& failed, F&& f) {
  try {
    f();
    return true;
  } catch (...) {
    failed.keep(failure_by("a data representation or handle of the program"));
    return false;
  }
}

// The steps of this rank with a window, and its synchronisation with the other ranks there. A
// window has an owner: the rank that has place `s` in the stage. `n` numbers the windows of an
// owner. Its even and its odd windows have one place each.
template <agreeing World>
class node_windows {
 public:
  // Waits until the word differs from `seen`, or returns earlier.
  using waiting = std::function<void(std::uint32_t& word, std::uint32_t seen)>;

  node_windows(World const& world, seats const& node, node_stage& stage,
               collective_plan const& plan, access const& mine, memory_side& memory,
               failure& failed, waiting wait)
      : world_(world),
        seats_(node),
        stage_(stage),
        plan_(plan),
        mine_(mine),
        range_{&mine.file, mine.position, mine.end()},
        memory_(memory),
        failed_(failed),
        wait_(std::move(wait)) {}

  node_stage& stage() { return stage_; }
  node_stage::counters& of(std::size_t s) const { return stage_.of(s); }
  std::byte* window(std::size_t s, std::uint64_t n) const { return stage_.window(s, n); }
  std::size_t ranks() const noexcept { return seats_.ranks.size(); }

  // --- Writing ---

  // Copies this rank's part into the window, and arrives. Returns its bytes. `reused`: n - 2 was a
  // window of this call.
  std::int64_t fill(std::size_t s, std::uint64_t n, bool reused, file_window const& w) {
    if (reused) await(of(s).released, released(n - 2));
    window_part p = range_.within(w);
    std::int64_t placed = 0;
    if (!p.empty()) {
      if (!copies(world_) || guarded(failed_, [&] {
            memory_.place(mine_.file, moved(stage_.window(s, n), -w.begin), p.from,
                          p.from - mine_.position, p.bytes());
          })) {
        placed = p.bytes();
        charge(world_, placed, [&] { return pieces(p.from, p.to); });
        if (p.file.marked()) mark(s, n, w, p);
      } else {
        p.file = {};  // then no byte of the part is written
      }
    }
    arrive(s, n, p.file);
    return placed;
  }
  // Called by the owner after the window is written. Also advances `emptied` and `filled`, as if
  // all ranks had read the window: a later read expects these counters to have counted every
  // window.
  void give_back(std::size_t s, std::uint64_t n) {
    auto const all = static_cast<std::uint32_t>(ranks());
    std::atomic_ref(of(s).emptied[n & 1]).fetch_add(all, std::memory_order_relaxed);
    std::atomic_ref(of(s).filled).fetch_add(1, std::memory_order_relaxed);
    release(s);
  }

  // --- Reading ---

  // Announces the range of bytes that this rank wants from the window. `exact`: also marks its
  // pieces, because bytes between them are not wanted.
  void ask(std::size_t s, std::uint64_t n, bool reused, file_window const& w, bool exact) {
    if (reused) await(of(s).released, released(n - 2));
    window_part const p = range_.within(w);
    if (exact && !p.empty() && p.file.marked()) mark(s, n, w, p);
    arrive(s, n, p.file);
  }
  // Waits, as the owner, until no rank needs the window before last any more.
  void await_emptied(std::size_t s, std::uint64_t n, bool reused) {
    if (reused) await(of(s).emptied[n & 1], everybody(n - 2));
  }
  // Called by the owner when the wanted bytes are known and the window is filled up to the `end` in
  // its counters.
  void release_filled(std::size_t s) {
    std::atomic_ref(of(s).released).fetch_add(1, std::memory_order_relaxed);
    tell_filled(s);
  }
  void tell_filled(std::size_t s) { count(of(s).filled); }
  struct taken {
    std::int64_t to, wanted;  // in this rank's stream
  };
  // Copies this rank's part out of the window.
  taken take(std::size_t s, std::uint64_t n, file_window const& w) {
    node_stage::counters& c = of(s);
    await(c.filled, released(n));
    std::int64_t const from = range_.before(w.begin),
                       to = range_.before(std::min(w.end, c.end[n & 1]));
    bool const there = from >= to || !copies(world_) || guarded(failed_, [&] {
                         memory_.take(mine_.file, moved(stage_.window(s, n), -w.begin), from,
                                      from - mine_.position, to - from);
                       });
    if (there) charge(world_, to - from, [&] { return pieces(from, to); });
    count(c.emptied[n & 1], everybody(n));
    return {there ? to : from, range_.before(w.end)};
  }

  // --- The owner ---

  void await_all(std::size_t s, std::uint64_t n) { await(of(s).arrived[n & 1], everybody(n)); }
  void release(std::size_t s) { count(of(s).released); }
  // Returns the smallest range that contains all bytes that ranks of this node want.
  file_share hull(std::size_t s, std::uint64_t n) const {
    file_share all{INT64_MAX, 0};
    for (std::size_t r = 0; r < ranks(); ++r)
      all.join(stage_.share_of(s, n, static_cast<std::int64_t>(r)));
    return all;
  }
  // Returns the granules of the window that ranks of this node have marked.
  window_marks covered(std::size_t s, std::uint64_t n, file_window const& w) {
    auto const words =
        static_cast<std::size_t>(marks::words_for(plan_.window_bytes / plan_.granule));
    if (!covered_) covered_ = std::make_unique_for_overwrite<std::uint64_t[]>(words);
    window_marks all({covered_.get(), words});
    for (std::size_t r = 0; r < ranks(); ++r) {
      file_share const& f = stage_.share_of(s, n, static_cast<std::int64_t>(r));
      if (f.empty()) continue;
      if (!f.marked()) {
        cover(all, w, f);
      } else {
        reach(all, w, f);
        marks(words_of(all.words(), w, f))
            .merge(words_of(stage_.marks_of(s, n, static_cast<std::int64_t>(r)), w, f));
      }
    }
    return all;
  }
  // Adds a share that has no marks. Its pieces are whole granules.
  void cover(window_marks& all, file_window const& w, file_share const& f) const {
    std::int64_t const granule = plan_.granule, low = (f.low - w.begin) / granule;
    marks bits = reach(all, w, f);
    if (f.dense != 0)
      bits.set(low, (f.high - w.begin + granule - 1) / granule);
    else
      bits.set(low, f.length / granule, f.stride / granule,
               (f.high - f.low - f.length) / f.stride + 1);
  }
  // Adds `length` bytes of the window.
  void cover(window_marks& all, std::int64_t from, std::int64_t length) const {
    std::int64_t const first = from / plan_.granule,
                       end = (from + length + plan_.granule - 1) / plan_.granule;
    all.reach(first, end).set(first, end);
  }
  // Adds the bytes of a rank of another node in the window.
  void cover(window_marks& all, file_window const& w, stream_range const& theirs,
             window_part const& p) const {
    if (!p.file.marked())
      cover(all, w, p.file);
    else
      reach(all, w, p.file).set(*theirs.file, p.from, p.to, w.begin, plan_.granule);
  }

 private:
  marks reach(window_marks& all, file_window const& w, file_share const& f) const {
    return all.reach((f.low - w.begin) / plan_.granule,
                     (f.high - w.begin + plan_.granule - 1) / plan_.granule);
  }
  std::int64_t pieces(std::int64_t from, std::int64_t to) const {
    return stream_range{&mine_.file, from, to}.pieces();
  }
  void arrive(std::size_t s, std::uint64_t n, file_share const& share) {
    stage_.share_of(s, n, seats_.mine) = share;
    count(of(s).arrived[n & 1], everybody(n));
  }
  std::span<std::uint64_t> words_of(std::span<std::uint64_t> words, file_window const& w,
                                    file_share const& s) const {
    std::int64_t const from = (s.low - w.begin) / plan_.granule / 64,
                       to =
                           marks::words_for((s.high - w.begin + plan_.granule - 1) / plan_.granule);
    return words.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
  }
  void mark(std::size_t s, std::uint64_t n, file_window const& w, window_part const& p) {
    std::span<std::uint64_t> const words = stage_.marks_of(s, n, seats_.mine);
    marks(words_of(words, w, p.file)).clear();
    marks(words).set(mine_.file, p.from, p.to, w.begin, plan_.granule);
  }

  // The target values of the counters; they wrap around. everybody(n): `arrived` or `emptied` when
  // all ranks are done with window n. released(n): `released` or `filled` after window n.
  std::uint32_t everybody(std::uint64_t n) const {
    return static_cast<std::uint32_t>((n / 2 + 1) * static_cast<std::uint64_t>(ranks()));
  }
  static std::uint32_t released(std::uint64_t n) { return static_cast<std::uint32_t>(n + 1); }

  void await(std::uint32_t& word, std::uint32_t target) {
    std::atomic_ref<std::uint32_t> const w(word);
    for (;;) {
      std::uint32_t const seen = w.load(std::memory_order_acquire);
      if (static_cast<std::int32_t>(seen - target) >= 0) return;
      in_phase const now(phase::waiting);
      wait_(word, seen);
    }
  }
  void wake(std::uint32_t& word) {
    if constexpr (node_waiting<World>) world_.wake(word);
  }
  void count(std::uint32_t& word, std::uint32_t awaited) {
    if (std::atomic_ref(word).fetch_add(1, std::memory_order_acq_rel) + 1 == awaited) wake(word);
  }
  void count(std::uint32_t& word) {
    std::atomic_ref(word).fetch_add(1, std::memory_order_release);
    wake(word);
  }

  World const& world_;
  seats const& seats_;
  node_stage& stage_;
  collective_plan const& plan_;
  access const& mine_;
  stream_range range_;
  memory_side& memory_;
  failure& failed_;
  waiting wait_;
  std::unique_ptr<std::uint64_t[]> covered_;  // words of the marks of a window
};

}  // namespace argosy::detail
