// The gate in which the ranks of a node announce their writes to a file. A rank that merges a
// window waits for them, and they need no lock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include <argosy/world/background.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// A write announces itself, then checks whether a rank merges. A rank that merges announces that,
// then checks whether writes are in progress. Both announce before they check, so at least one sees
// the other: the write takes a lock, or the merge waits for the write. So a write costs two
// additions to a cache line of its own rank. All other cost falls on ranks that merge.
class write_gate {
 public:
  // Longer writes take a lock, unless a lock costs more than the write. So a merge elsewhere in the
  // file need not wait for them.
  static constexpr std::int64_t most_bytes = 1 << 20;

  write_gate() = default;
  // `m` has bytes_for(ranks) zero bytes, which the ranks of one node share. `beside`: how this rank
  // waits; null: as threads do.
  write_gate(shared_memory m, int rank, int ranks, background* beside)
      : memory_(std::move(m)), rank_(rank), ranks_(ranks), beside_(beside) {}

  static std::size_t bytes_for(int ranks) noexcept {
    return line_bytes * (static_cast<std::size_t>(ranks) + 1);
  }

  explicit operator bool() const noexcept { return ranks_ > 0; }

  // A write that is in progress while this object lives. If a rank merges, the object is false: the
  // write is not announced, and needs a lock. `waits`: waits for ranks that merge.
  class writing {
   public:
    explicit writing(write_gate const& all, bool waits = false) : mine_(all.line(all.rank_ + 1)) {
      begin(all);
      for (int tries = 0; waits && !is_under_way_; ++tries) {
        all.pause(tries);
        begin(all);
      }
    }
    writing(writing const&) = delete;
    writing& operator=(writing const&) = delete;
    ~writing() {
      if (is_under_way_) mine_.fetch_sub(1, std::memory_order_release);
    }
    explicit operator bool() const noexcept { return is_under_way_; }

   private:
    void begin(write_gate const& all) noexcept {
      mine_.fetch_add(1, std::memory_order_seq_cst);
      is_under_way_ = std::atomic_ref(all.line(0)).load(std::memory_order_seq_cst) == 0;
      if (!is_under_way_) mine_.fetch_sub(1, std::memory_order_release);
    }

    std::atomic_ref<std::uint32_t> mine_;
    bool is_under_way_ = false;
  };

  // While one lives, writes take locks, and no write without a lock is in progress. The constructor
  // waits for writes in progress; these wait for no rank.
  class closed {
   public:
    // null: nothing is closed
    explicit closed(write_gate const* all) : all_(all) {
      if (!all_) return;
      std::atomic_ref(all_->line(0)).fetch_add(1, std::memory_order_seq_cst);
      try {
        for (int r = 1; r <= all_->ranks_; ++r) all_->await_none(all_->line(r));
      } catch (...) {
        open();
        throw;
      }
    }
    closed(closed&& other) noexcept : all_(std::exchange(other.all_, nullptr)) {}
    closed& operator=(closed&& other) noexcept {
      open();
      all_ = std::exchange(other.all_, nullptr);
      return *this;
    }
    ~closed() { open(); }
    explicit operator bool() const noexcept { return all_ != nullptr; }
    void open() noexcept {
      if (all_)
        std::atomic_ref(std::exchange(all_, nullptr)->line(0))
            .fetch_sub(1, std::memory_order_release);
    }

   private:
    write_gate const* all_;
  };

  // A byte-range lock of this rank, while the object lives. A thread that waits for a lock calls
  // rank_holds() to ask whether a rank holds one.
  class holding {
   public:
    // null: the lock is not announced
    explicit holding(write_gate const* all) : mine_(all ? &all->held(all->rank_ + 1) : nullptr) {
      if (mine_) std::atomic_ref(*mine_).fetch_add(1, std::memory_order_relaxed);
    }
    holding(holding const&) = delete;
    holding& operator=(holding const&) = delete;
    ~holding() {
      if (mine_) std::atomic_ref(*mine_).fetch_sub(1, std::memory_order_relaxed);
    }

   private:
    std::uint32_t* mine_;
  };
  bool rank_holds() const noexcept {
    for (int r = 1; r <= ranks_; ++r)
      if (std::atomic_ref(held(r)).load(std::memory_order_relaxed) != 0) return true;
    return false;
  }

  // Returns true if a rank holds a lock. Checks several times, since a rank may be between two
  // locks.
  bool some_rank_holds() const {
    for (int looks = 1; !rank_holds(); ++looks) {
      if (looks == 10) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  static constexpr std::size_t line_bytes = 64;

  // The first word of line 0 counts ranks that merge. Each other line belongs to a rank: its first
  // word counts writes in progress, its second word locks that the rank holds.
  std::uint32_t& line(int n) const noexcept {
    return *static_cast<std::uint32_t*>(
        static_cast<void*>(memory_.bytes().data() + line_bytes * static_cast<std::size_t>(n)));
  }
  std::uint32_t& held(int n) const noexcept { return *(&line(n) + 1); }
  void await_none(std::uint32_t& word) const {
    std::atomic_ref<std::uint32_t> const under_way(word);
    for (int tries = 0; under_way.load(std::memory_order_seq_cst) != 0; ++tries) pause(tries);
  }
  // A write takes some microseconds, and its rank may need this processor to end it.
  void pause(int tries) const {
    if (beside_)
      beside_->pause(tries);
    else if (tries < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  shared_memory memory_;
  int rank_ = 0, ranks_ = 0;
  background* beside_ = nullptr;
};

}  // namespace argosy::detail
