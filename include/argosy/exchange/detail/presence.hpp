// How opens of a file detect each other: each holds a lock while it may write. A rank that merges
// must find no lock of another open.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include <argosy/error/errc.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/handle/trying.hpp>

namespace argosy::detail {

// The last bytes below the largest offset are for locks that stand for no data. If data is written
// there, the byte before them is locked instead.
inline constexpr std::int64_t first_reserved =
    std::numeric_limits<std::int64_t>::max() - (std::int64_t{1} << 60);

// Returns the bytes to lock for a range of data.
constexpr locked_range range_of_data(std::int64_t offset, std::int64_t length) noexcept {
  std::int64_t const begin = offset < first_reserved ? offset : first_reserved - 1;
  return {begin, length < first_reserved - begin ? length : first_reserved - begin};
}

// Every rank of an open locks a byte of its own, exclusively, from `open` to `close`. The bytes of
// one open are adjacent, at a random place. A rank that merges takes a shared lock on all other
// bytes while it merges. It cannot get that lock while another open has bytes locked, and no other
// open can lock its bytes meanwhile. Other ranks of the same open may merge at the same time. The
// first byte is the door. If a rank opens the file while merges are in progress, it locks the door
// and waits for its byte; meanwhile no new merge begins.
//
// Other programs take locks, too, and fcntl locks the whole file by default. Such a lock extends
// beyond the reserved bytes, so it is not argosy's, and no rank waits for it. No rank can have its
// byte while such a lock is held, so no open that merges exists. A rank that finds such a lock
// takes a shared lock on all reserved bytes for as long as it is open. This is a veto: no rank of a
// later open gets its byte, and no rank merges. If the foreign lock is exclusive, the rank cannot
// get the shared lock either, and tries again before each of its writes.
//
// A rank that was killed may have left a lock of argosy's form to a forked child. Such a lock never
// changes. Locks of opens that merge come and go, at the latest when the door is locked. So if the
// lock in the way stays for as long as the handle waits, the rank treats it like a foreign one.
class presence {
 public:
  // `number` is equal on all ranks.
  presence(std::uint64_t number, int rank, int ranks)
      : first_(place_of(number, ranks)), behind_(first_ + ranks), mine_(first_ + rank) {}

  // Takes this rank's byte; waits for merges of other opens. Returns errc::file_in_use if they do
  // not let this rank in. `none`: there are no locks, so no other open sees this rank.
  template <handle H>
  std::error_code enter(H& file, bool& none) const {
    std::error_code const error = come_in(file);
    none = error && classify(error) == errc::no_locks;
    return error;
  }

  // Returns true if other opens do not see this rank. Then it calls be_seen() before it writes.
  bool unseen() const noexcept {
    return standing_.load(std::memory_order_relaxed) == standing::unseen;
  }
  // Returns the reason why this rank never merges, for a report; empty if it may.
  std::string_view obstacle() const noexcept {
    if (standing_.load(std::memory_order_relaxed) == standing::present) return {};
    return gave_up_.load(std::memory_order_relaxed)
               ? "; nothing is merged: a lock on the file was not given back within the limit"
               : "; nothing is merged: another program has locked the file";
  }

  // Tries again to be seen, before a write. One of this rank's threads does so at a time, and the
  // others wait for it. Returns errc::file_in_use if other opens merge. Then the write must not be
  // made.
  template <handle H>
  std::error_code be_seen(H& file) const {
    while (coming_in_.exchange(true, std::memory_order_acquire))
      coming_in_.wait(true, std::memory_order_relaxed);
    struct ended {
      std::atomic<bool>& flag;
      ~ended() {
        flag.store(false, std::memory_order_release);
        flag.notify_all();
      }
    } const at_the_end{coming_in_};
    std::error_code const error = unseen() ? come_in(file) : std::error_code();
    return classify(error) == errc::file_in_use ? error : std::error_code();
  }

 private:
  // present: it has a byte of its own. vetoing: it shares all of them. unseen: it has no lock.
  enum class standing { present, vetoing, unseen };

  // Takes the byte of this rank, or continues without it.
  template <handle H>
  std::error_code come_in(H& file) const {
    std::error_code error;
    if (try_lock_of(file, mine_, 1, lock_kind::exclusive, error)) return stand(standing::present);
    if (error && error != errc::unsupported) return error;
    if (error || !tells_locks(file)) return come_in_blindly(file);
    auto const other = lock_in_the_way(file, mine_, 1, lock_kind::exclusive);
    // If a lock that is never released is in the way, no open that merges exists.
    if (gave_up_.load(std::memory_order_relaxed) && other == orphan_)
      return stand(standing::unseen);
    bool closed = false;
    try {
      error = await_byte(file, closed, other);
    } catch (...) {
      if (closed) give_back(file, door, 1);
      throw;
    }
    std::error_code const opened = closed ? give_back(file, door, 1) : std::error_code();
    return opened ? opened : error;
  }

  // Tries to lock the byte and, until it succeeds, the door. `closed`: this rank has the door, even
  // if an exception is thrown. If a lock stays unchanged for as long as the handle waits, it is an
  // orphan, and no rank can merge. If locks change, other opens are alive and merging. Then this
  // rank waits many times as long, and at last fails with errc::file_in_use.
  template <handle H>
  std::error_code await_byte(H& file, bool& closed, std::optional<locked_range> seen) const {
    using clock = std::chrono::steady_clock;
    constexpr int most_limits = 20;
    std::chrono::milliseconds const limit = longest_wait(file);
    auto const start = clock::now();
    auto since = start;
    for (std::error_code error;;) {
      if (excludes_merging(seen) && settle(file, error)) {
        closed = closed && !is_vetoing();  // the door belongs to the veto
        return {};
      }
      if (!error && !closed) closed = try_lock_of(file, door, 1, lock_kind::exclusive, error);
      if (error) return error;
      if (try_lock_of(file, mine_, 1, lock_kind::exclusive, error)) return stand(standing::present);
      if (error) return error;
      auto const other = lock_in_the_way(file, mine_, 1, lock_kind::exclusive);
      auto const now = clock::now();
      if (other != seen) since = now;
      seen = other;
      if (now - since >= limit) return go_without(file, closed, seen);
      if ((now - start) / most_limits >= limit) return errc::file_in_use;
      std::this_thread::sleep_for(std::clamp<clock::duration>(
          (now - start) / 8, std::chrono::microseconds(20), std::chrono::milliseconds(1)));
    }
  }

  // Continues without the byte, because of a lock that is never released.
  template <handle H>
  std::error_code go_without(H& file, bool& closed, std::optional<locked_range> orphan) const {
    orphan_ = orphan;
    gave_up_.store(true, std::memory_order_relaxed);
    std::error_code error;
    if (!settle(file, error) && !error) stand(standing::unseen);
    closed = closed && !is_vetoing();
    return error;
  }

  // Waits as long as the handle does, if the handle cannot report the locks of others.
  template <handle H>
  std::error_code come_in_blindly(H& file) const {
    if (gave_up_.load(std::memory_order_relaxed)) return stand(standing::unseen);
    std::error_code error = file.lock(door, 1, lock_kind::exclusive), opened;
    bool const closed = !error;
    if (error && classify(error) != errc::file_in_use) return error;
    auto const wait = [&] { return file.lock(mine_, 1, lock_kind::exclusive); };
    error = closed ? or_give_back(file, door, 1, wait) : wait();
    if (closed) opened = give_back(file, door, 1);
    if (!error) {
      stand(standing::present);
    } else if (classify(error) == errc::file_in_use) {
      error = {};
      bool none = false;
      go_without(file, none, {});
    }
    return opened ? opened : error;
  }

  // Returns how long the handle waits for a lock, if it is a file of the operating system.
  template <handle H>
  static std::chrono::milliseconds longest_wait(H& file) {
    if constexpr (requires { file.raw().longest_lock_wait; }) return file.raw().longest_lock_wait;
    if constexpr (requires { file.template target<posix>(); })
      if (auto* const p = file.template target<posix>()) return p->raw().longest_lock_wait;
    return std::chrono::seconds(30);
  }
  bool is_vetoing() const noexcept {
    return standing_.load(std::memory_order_relaxed) == standing::vetoing;
  }

 public:
  // Returns true if no other open may write to the file until readmit(). Never waits. `tried`: why
  // there was no lock, unless another open holds it. `kept`: a lock could not be released.
  template <handle H>
  bool exclude(H& file, std::error_code& tried, std::error_code& kept) const {
    if (standing_.load(std::memory_order_relaxed) != standing::present) return false;
    if (!try_lock_of(file, door, first_ - door, lock_kind::shared, tried)) return false;
    auto const right = [&] {
      return try_lock_of(file, behind_, end - behind_, lock_kind::shared, tried);
    };
    if (!or_give_back(file, door, first_ - door, right)) {
      kept = give_back(file, door, first_ - door);
      return false;
    }
    kept = give_back(file, door, 1);
    if (!kept) return true;
    readmit(file);
    return false;
  }
  template <handle H>
  std::error_code readmit(H& file) const {
    std::error_code const left = give_back(file, door, first_ - door),
                          right = give_back(file, behind_, end - behind_);
    return left ? left : right;
  }

 private:
  std::error_code stand(standing s) const noexcept {
    standing_.store(s, std::memory_order_relaxed);
    return {};
  }

  // Returns true for a lock that extends beyond the reserved bytes, and for a veto.
  static bool excludes_merging(std::optional<locked_range> const& l) noexcept {
    return l && (l->offset < door || covers_all(*l));
  }
  static bool covers_all(locked_range const& l) noexcept {
    return l.offset <= door && l.length >= end - l.offset;
  }

  // Continues without a byte if no open that merges can exist: by a veto, or unseen if there is an
  // exclusive lock on all bytes.
  template <handle H>
  bool settle(H& file, std::error_code& error) const {
    if (try_lock_of(file, door, end - door, lock_kind::shared, error)) {
      stand(standing::vetoing);
      return true;
    }
    if (error) return false;
    auto const other = lock_in_the_way(file, door, end - door, lock_kind::shared);
    if (!other || !covers_all(*other)) return false;
    stand(standing::unseen);
    return true;
  }

  // Calls `f`; if it throws, releases the lock first.
  template <handle H, class F>
  static auto or_give_back(H& file, std::int64_t offset, std::int64_t length, F&& f) try {
    return f();
  } catch (...) {
    give_back(file, offset, length);
    throw;
  }

  static constexpr std::int64_t door = first_reserved,
                                end = std::numeric_limits<std::int64_t>::max();

  // If the bytes of two opens overlap, the second one waits until the first is closed. For two
  // opens of 1,000 ranks each, that happens once in 10^15. Numbers may be consecutive, so they are
  // mixed.
  static std::int64_t place_of(std::uint64_t number, int ranks) noexcept {
    auto const places = static_cast<std::uint64_t>(end - door - 2 - ranks);
    std::uint64_t x = number + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return door + 1 + static_cast<std::int64_t>((x ^ (x >> 31)) % places);
  }

  std::int64_t first_, behind_, mine_;
  // Any thread of an unseen rank may change this.
  mutable std::atomic<standing> standing_{standing::present};
  mutable std::atomic<bool> gave_up_{false}, coming_in_{false};
  mutable std::optional<locked_range> orphan_;  // used by the thread that comes in
};

}  // namespace argosy::detail
