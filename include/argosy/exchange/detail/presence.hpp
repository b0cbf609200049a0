// How the opens of a file know of each other: each holds a lock while it may write, and who merges must find none of the others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/trying.hpp>

namespace argosy::detail {

// The last bytes that offsets reach are for locks that stand for no data. What is written there is locked by the byte before them.
inline constexpr std::int64_t first_reserved = std::numeric_limits<std::int64_t>::max() - (std::int64_t{1} << 60);

// The bytes that stand for data in locks.
constexpr locked_range range_of_data(std::int64_t offset, std::int64_t length) noexcept {
  std::int64_t const begin = offset < first_reserved ? offset : first_reserved - 1;
  return {begin, length < first_reserved - begin ? length : first_reserved - begin};
}

// Every rank of an open locks a byte of its own, exclusively, from `open` to `close`; those of one open lie side by side, at a place
// chosen at random. Who merges shares all other bytes, for that moment: that cannot be had while another open is there, and none comes
// as long as it is held, but other ranks of the same open may merge at the same time. In front of all lies the door: who finds merges
// under way closes it, waits for its byte, and meanwhile no merge begins.
//
// Other programs have locks, too, and fcntl locks the whole file unless it is told otherwise. Such
// a lock reaches out of the reserved bytes, so it is none of argosy's, and no rank waits for it. No
// rank has its byte beside such a lock, so no open that merges is there. A rank that finds one
// shares all reserved bytes for as long as it is open, which is a veto: no rank of a later open
// gets its byte, and nobody merges. If the strange lock is exclusive, the rank cannot share them
// either, and tries again at each of its writes. Locks of argosy's form are waited for as long as
// the handle does; after that the rank does the same. A rank that was killed may have left such a
// lock to a child of fork.
class presence {
 public:
  // The same number on all ranks.
  presence(std::uint64_t number, int rank, int ranks)
      : first_(place_of(number, ranks)), behind_(first_ + ranks), mine_(first_ + rank) {}

  // Waits for merges of others, as long as the handle waits for a lock. `none`: there are no locks,
  // so this rank is seen by nobody.
  template <handle H>
  std::error_code enter(H& file, bool& none) const {
    std::error_code const error = come_in(file);
    none = error && classify(error) == errc::no_locks;
    return error;
  }

  // Returns true if others do not see this rank, which then calls be_seen() before it writes.
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
  // others do not wait for it.
  template <handle H>
  void be_seen(H& file) const {
    if (coming_in_.exchange(true, std::memory_order_acquire)) return;
    struct ended {
      std::atomic<bool>& flag;
      ~ended() { flag.store(false, std::memory_order_release); }
    } const at_the_end{coming_in_};
    if (unseen()) come_in(file);
  }

 private:
  // present: by a byte of its own. vetoing: it shares all of them. unseen: it has no lock.
  enum class standing { present, vetoing, unseen };

  // Takes the byte of this rank, or does without it.
  template <handle H>
  std::error_code come_in(H& file) const {
    std::error_code error, opened;
    if (try_lock_of(file, mine_, 1, lock_kind::exclusive, error)) return stand(standing::present);
    if (error && error != errc::unsupported) return error;
    if (gave_up_.load(std::memory_order_relaxed)) return stand(standing::unseen);
    bool closed = true;
    if (!error && tells_locks(file)) {
      if (excludes_merging(lock_in_the_way(file, mine_, 1, lock_kind::exclusive)) &&
          settle(file, error))
        return {};
      if (!error)
        closed = try_lock_of(file, door, 1, lock_kind::exclusive, error);  // a stranger may hold it
    } else {
      error = file.lock(door, 1, lock_kind::exclusive);
    }
    if (error && classify(error) != errc::file_in_use) return error;
    closed = closed && !error;
    auto const wait = [&] { return file.lock(mine_, 1, lock_kind::exclusive); };
    error = closed ? or_give_back(file, door, 1, wait) : wait();
    if (closed) opened = give_back(file, door, 1);
    if (error && classify(error) == errc::file_in_use) {
      gave_up_.store(true, std::memory_order_relaxed);
      if (settle(file, error)) return opened;
      if (!error) stand(standing::unseen);
    } else if (!error) {
      stand(standing::present);
    }
    return opened ? opened : error;
  }

 public:
  // True if nobody else may write to the file until readmit(). Never waits. `tried`: why there was no lock, unless somebody else has it;
  // `kept`: a lock could not be given back.
  template <handle H>
  bool exclude(H& file, std::error_code& tried, std::error_code& kept) const {
    if (standing_.load(std::memory_order_relaxed) != standing::present) return false;
    if (!try_lock_of(file, door, first_ - door, lock_kind::shared, tried)) return false;
    auto const right = [&] { return try_lock_of(file, behind_, end - behind_, lock_kind::shared, tried); };
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
    std::error_code const left = give_back(file, door, first_ - door), right = give_back(file, behind_, end - behind_);
    return left ? left : right;
  }

 private:
  std::error_code stand(standing s) const noexcept {
    standing_.store(s, std::memory_order_relaxed);
    return {};
  }

  // Returns true for a lock that reaches out of the reserved bytes, and for a veto.
  static bool excludes_merging(std::optional<locked_range> const& l) noexcept {
    return l && (l->offset < door || covers_all(*l));
  }
  static bool covers_all(locked_range const& l) noexcept {
    return l.offset <= door && l.length >= end - l.offset;
  }

  // Does without a byte, if no open that merges can be there: by a veto, or unseen beside an
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

  // A handle that throws leaves no lock behind.
  template <handle H, class F>
  static auto or_give_back(H& file, std::int64_t offset, std::int64_t length, F&& f) try {
    return f();
  } catch (...) {
    give_back(file, offset, length);
    throw;
  }

  static constexpr std::int64_t door = first_reserved, end = std::numeric_limits<std::int64_t>::max();

  // Of two opens whose bytes overlap the second would wait for the first to close: of two of 1,000 ranks each that is one case in 10^15.
  // Numbers may follow one another, so they are mixed.
  static std::int64_t place_of(std::uint64_t number, int ranks) noexcept {
    auto const places = static_cast<std::uint64_t>(end - door - 2 - ranks);
    std::uint64_t x = number + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return door + 1 + static_cast<std::int64_t>((x ^ (x >> 31)) % places);
  }

  std::int64_t first_, behind_, mine_;
  // A rank that is unseen comes in by any of its threads.
  mutable std::atomic<standing> standing_{standing::present};
  mutable std::atomic<bool> gave_up_{false}, coming_in_{false};
};

}  // namespace argosy::detail
