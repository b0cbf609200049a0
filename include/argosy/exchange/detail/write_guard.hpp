// Keeps merges from destroying concurrent writes: no read-modify-write of another rank or program
// may bring stale bytes back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <argosy/error/errc.hpp>
#include <argosy/exchange/detail/presence.hpp>
#include <argosy/exchange/detail/write_gate.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/trying.hpp>
#include <argosy/plan/report.hpp>

namespace argosy::detail {

// Which other writers there may be while a window is read, changed and written back.
struct merging {
  // The other writers that there may be.
  // - none: the file was opened with mode::unique_open, or has no locks.
  // - programs: other programs, but no ranks of this file. Their writes are known, or excluded by a
  //   lock of the caller.
  // - ranks: programs and ranks of this file.
  enum class others { none, programs, ranks };

  others writing = others::ranks;
  // false: windows are written by pieces, because the file cannot be read, some rank has no locks,
  // or other ranks would not see the merge
  bool allowed = true;
  // excludes other opens of the file; null: there are none
  presence const* opens = nullptr;
  // the gate in which ranks announce writes; null: all writes take locks
  write_gate const* gate = nullptr;
  bool announces = true;  // false: its writes take locks, unless there are none
  std::int64_t announced_bytes = write_gate::most_bytes;  // longer writes take locks
  // no other rank can merge in these windows, except by another call
  bool owns_windows = false;
  // false: a rank that merges may be waiting for this rank
  bool waits = true;
  bool sees_all = true;  // false: ranks of other nodes have gates of their own
  friend bool operator==(merging const&, merging const&) = default;
};

// Locks bytes of the data for a rank. Waits many times as long as the handle does. If `gate` shows
// that no rank of the same file holds a lock, waits only once. A null `gate` does not show ranks of
// other nodes. If `yields` is true, the caller has another way. Then this hardly waits unless the
// gate shows a rank with a lock, and tries `most_looks` times. Returns errc::file_in_use if the
// lock is still held.
template <handle H>
std::error_code lock_of_rank(H& file, std::int64_t offset, std::int64_t length, lock_kind kind,
                             write_gate const* gate, bool yields, int most_looks = 10) {
  constexpr int most_turns = 20;
  auto const [from, bytes] = range_of_data(offset, length);
  // A rank takes its lock before it announces the lock in the gate.
  for (int look = 0; yields && tells_locks(file); ++look) {
    std::error_code error;
    if (try_lock_of(file, from, bytes, kind, error)) return {};
    if (error && error != errc::unsupported) return error;
    if (error || (gate && gate->rank_holds())) break;
    if (look == most_looks) return errc::file_in_use;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (int turn = 1;; ++turn) {
    std::error_code const error = file.lock(from, bytes, kind);
    if (!error || classify(error) != errc::file_in_use) return error;
    if (turn == most_turns || (gate && !gate->some_rank_holds())) return error;
  }
}

// The cost of safety falls on merges. Before a merge, the rank makes sure that no other open of the
// file exists, and makes new ones wait. It closes the gate, so that other ranks take locks for
// their writes. It takes an exclusive lock on its window, while those locks are shared. The first
// two last until end(). If another open exists, windows are written by pieces.
//
// A write by pieces is announced in the gate. If the gate is closed, it takes a shared lock.
//
// If a program that is no rank of this file holds a lock, the rank does not wait, or not without
// limit (errc::file_in_use). Then the rules for files without locks apply.
//
// A rank that gets no lock (errc::no_locks) does not merge. It can still write its pieces when no
// rank merges, if the gate shows that and the rank may wait for it. Otherwise the write fails,
// unless the windows are the rank's own. `open` checks that every rank has locks, so this fails
// only if locks stop working later.
template <handle H>
class write_guard {
 public:
  write_guard(H& h, merging with, report& done) : file_(h), with_(with), done_(done) {}
  write_guard(write_guard const&) = delete;
  write_guard& operator=(write_guard const&) = delete;
  // After end() this has nothing to do, except if something threw.
  ~write_guard() {
    try {
      end();
    } catch (...) {  // the world ends
    }
  }

  bool merges() const noexcept { return with_.allowed; }

  template <class Write>
  std::error_code pieces(std::int64_t offset, std::int64_t length, Write&& write) {
    if (with_.opens && with_.opens->unseen()) [[unlikely]]
      if (std::error_code const others_merge = with_.opens->be_seen(file_)) return others_merge;
    if (with_.writing != merging::others::ranks) return write();
    if (with_.gate && with_.announces && length <= with_.announced_bytes)
      if (write_gate::writing const here(*with_.gate); here) return write();
    std::error_code const error = lock(offset, length, lock_kind::shared);
    if (!error) return locked(offset, length, write);
    if (!is_not_had(error)) return error;
    if (with_.owns_windows) return write();
    if (!with_.gate || (!with_.sees_all && classify(error) == errc::file_in_use)) return error;
    if (gate_) by_pieces();
    write_gate::writing const here(*with_.gate, with_.waits);
    return here ? write() : error;
  }

  // Calls `merged` if no other writer can change the window meanwhile. Otherwise calls `write`,
  // which writes by pieces.
  template <class Merge, class Write>
  std::error_code merge(std::int64_t offset, std::int64_t length, Merge&& merged, Write&& write) {
    if (std::error_code const error = begin()) return error;
    if (!with_.allowed) return pieces(offset, length, write);
    if (with_.writing != merging::others::ranks) {
      merged_bytes_ += length;
      return merged();
    }
    if (std::error_code const error = let_in_if_locked(offset, length)) return error;
    std::error_code const error = lock(offset, length, lock_kind::exclusive);
    if (!error) {
      if (std::error_code const failed = begin_again(offset, length)) return failed;
      if (!with_.allowed) return pieces(offset, length, write);
      merged_bytes_ += length;
      return locked(offset, length, merged);
    }
    if (!is_not_had(error)) return error;
    by_pieces(classify(error) == errc::file_in_use
                  ? "; nothing is merged: another program has locked these bytes"
                  : "");
    return pieces(offset, length, write);
  }

  // Readmits other opens, which may be waiting.
  std::error_code end() {
    gate_.open();
    std::error_code const earlier = std::exchange(kept_, {});
    std::error_code const now =
        std::exchange(alone_, false) ? with_.opens->readmit(file_) : std::error_code();
    return earlier ? earlier : now;
  }

 private:
  // Opens that wait are readmitted after this many bytes, or this much time, not only at the end of
  // the call.
  static constexpr std::int64_t turn_bytes = 64 << 20;
  static constexpr std::chrono::seconds turn_time{1};

  std::error_code let_in() {
    merged_bytes_ = 0;
    return std::exchange(alone_, false) ? with_.opens->readmit(file_) : std::error_code();
  }
  // Readmits other opens before this rank waits for a window that is locked.
  std::error_code let_in_if_locked(std::int64_t offset, std::int64_t length) {
    if (!alone_) return {};
    auto const [from, bytes] = range_of_data(offset, length);
    return lock_in_the_way(file_, from, bytes, lock_kind::exclusive) ? let_in() : std::error_code();
  }

  std::error_code begin() {
    if (alone_ && (merged_bytes_ >= turn_bytes ||
                   std::chrono::steady_clock::now() - alone_since_ >= turn_time))
      if (std::error_code const error = let_in()) return error;
    if (with_.opens && !alone_) {
      std::error_code tried, kept;
      alone_ = with_.opens->exclude(file_, tried, kept);
      if (alone_) {
        ++done_.locks;
        alone_since_ = std::chrono::steady_clock::now();
      }
      if (kept) return kept;
      auto const kind = classify(tried);
      if (tried && kind != errc::no_locks && kind != errc::unsupported) return tried;
      if (!alone_) by_pieces(with_.opens->obstacle());
    }
    if (with_.allowed && with_.gate && with_.writing == merging::others::ranks && !gate_)
      gate_ = write_gate::closed(with_.gate);
    return {};
  }
  // Excludes other opens again, which may have been readmitted while this rank waited for the lock
  // of its window. If that fails, releases the lock. Does not wait for other opens.
  std::error_code begin_again(std::int64_t offset, std::int64_t length) {
    auto const [from, bytes] = range_of_data(offset, length);
    std::error_code error;
    try {
      error = begin();
    } catch (...) {
      detail::give_back(file_, from, bytes);
      throw;
    }
    if (!error && with_.allowed) return {};
    std::error_code const kept = detail::give_back(file_, from, bytes);
    return error ? error : kept;
  }
  // `why` is added to the reason in the report.
  void by_pieces(std::string_view why = {}) {
    kept_ = end();
    with_.allowed = false;
    ++done_.fallbacks;
    done_.reason += why;
  }

  static bool is_not_had(std::error_code const& error) {
    errc const kind = classify(error);
    return kind == errc::no_locks || kind == errc::file_in_use;
  }

  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    write_gate const* const of_all = with_.sees_all ? with_.gate : nullptr;
    bool const yields = with_.owns_windows || (of_all && with_.waits);
    std::error_code const error =
        lock_of_rank(file_, offset, length, kind, of_all, yields, was_in_use_ ? 0 : 10);
    if (classify(error) == errc::file_in_use) was_in_use_ = true;
    return error;
  }
  template <class Write>
  std::error_code locked(std::int64_t offset, std::int64_t length, Write&& write) {
    ++done_.locks;
    write_gate::holding const told(with_.gate);
    auto const [from, bytes] = range_of_data(offset, length);
    std::error_code error;
    try {
      error = write();
    } catch (...) {
      detail::give_back(file_, from, bytes);
      throw;
    }
    std::error_code const unlocked = detail::give_back(file_, from, bytes);
    return error ? error : unlocked;
  }

  H& file_;
  merging with_;
  report& done_;
  bool alone_ = false;
  bool was_in_use_ = false;  // a lock of this call was held by another program or rank
  std::chrono::steady_clock::time_point alone_since_;
  std::int64_t merged_bytes_ = 0;  // bytes since other opens were excluded
  std::error_code kept_;           // error of a lock that could not be released
  write_gate::closed gate_{nullptr};
};

}  // namespace argosy::detail
