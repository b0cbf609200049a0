// Keeps writes and the merges of others apart, so that no read-modify-write of another rank or
// program brings old bytes back.
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

// Who else may write while a window is read, changed and written back.
struct merging {
  // Who may write to the file meanwhile. none: it was opened unique, or has no locks. programs:
  // other programs, but not the ranks of this file, whose writes are known, or are kept out by a
  // lock of the caller.
  enum class others { none, programs, ranks };

  others writing = others::ranks;
  // false: windows are written by pieces, because the file cannot be read, some rank has no locks,
  // or other ranks would not see it
  bool allowed = true;
  // how other opens of the file are kept out; null: there are none
  presence const* opens = nullptr;
  write_gate const* gate = nullptr;  // where ranks say that they write; null: all take locks
  bool announces = true;             // false: its writes take locks, unless there are none
  std::int64_t announced_bytes = write_gate::most_bytes;  // longer ones do
  // no other rank can be merging there, but by another call
  bool owns_windows = false;
  // false: who merges may be waiting for this rank
  bool waits = true;
  bool sees_all = true;  // false: ranks of other nodes have gates of their own
  friend bool operator==(merging const&, merging const&) = default;
};

// Locks bytes of the data for a rank, and waits for many times what the handle does. If `gate` says
// that no rank of the same file has a lock, it waits once; where `gate` is null ranks of other
// nodes are not seen. `yields`: the caller has another way, so it hardly waits but for a rank that
// the gate tells of, and looks again `most_looks` times. errc::file_in_use: somebody else keeps the
// lock.
template <handle H>
std::error_code lock_of_rank(H& file, std::int64_t offset, std::int64_t length, lock_kind kind,
                             write_gate const* gate, bool yields, int most_looks = 10) {
  constexpr int most_turns = 20;
  auto const [from, bytes] = range_of_data(offset, length);
  // A rank takes its lock before the gate tells of it.
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

// A merge is the one who pays. It finds that no other open of the file is there, and keeps those
// that come waiting; closes the gate, so that ranks take locks for their writes; and holds an
// exclusive lock on its window, where these are shared. The first two last until end(). Where
// another open is there, windows are written by pieces.
//
// A write by pieces goes through the gate, or where that is closed holds a shared lock.
//
// A lock of a program that is no rank of this file is not waited for, or not without limit
// (errc::file_in_use): what then holds is what holds without locks.
//
// A rank that gets no lock (errc::no_locks) does not merge. It still writes its pieces, when nobody
// merges, if the gate tells and it may wait for that; otherwise the write fails, unless the windows
// are its own. `open` finds out whether every rank has locks, so this fails only if locks come to
// an end later.
template <handle H>
class write_guard {
 public:
  write_guard(H& h, merging with, report& done) : file_(h), with_(with), done_(done) {}
  write_guard(write_guard const&) = delete;
  write_guard& operator=(write_guard const&) = delete;
  // After end() there is nothing to do here, but where something threw.
  ~write_guard() {
    try {
      end();
    } catch (...) {  // the world comes to its end
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

  // Calls `merged` where nobody else can write to the window; where that cannot be had, `write`,
  // which goes by pieces.
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

  // Lets others in again, who may be waiting.
  std::error_code end() {
    gate_.open();
    std::error_code const earlier = std::exchange(kept_, {});
    std::error_code const now =
        std::exchange(alone_, false) ? with_.opens->readmit(file_) : std::error_code();
    return earlier ? earlier : now;
  }

 private:
  // Those who open the file are let in after so many bytes, or so long, and not only when the call
  // ends.
  static constexpr std::int64_t turn_bytes = 64 << 20;
  static constexpr std::chrono::seconds turn_time{1};

  std::error_code let_in() {
    merged_bytes_ = 0;
    return std::exchange(alone_, false) ? with_.opens->readmit(file_) : std::error_code();
  }
  // Lets others in before this rank waits for a window that somebody has locked.
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
  // Keeps others out again, who may have been let in while this rank waited for the lock of its
  // window. Gives the lock back where that cannot be had. It does not wait for others.
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
  bool was_in_use_ = false;  // somebody kept a lock of this call
  std::chrono::steady_clock::time_point alone_since_;
  std::int64_t merged_bytes_ = 0;  // since others were kept out
  std::error_code kept_;           // of a lock that could not be given back
  write_gate::closed gate_{nullptr};
};

}  // namespace argosy::detail
