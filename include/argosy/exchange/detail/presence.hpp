// How the opens of a file know of each other: each holds a lock while it may write, and who merges must find none of the others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/trying.hpp>

namespace argosy::detail {

// The last bytes that offsets reach are for locks that stand for no data. What is written there is locked by the byte before them.
inline constexpr std::int64_t first_reserved = std::numeric_limits<std::int64_t>::max() - (std::int64_t{1} << 60);

struct locked_range {
  std::int64_t offset = 0, length = 0;
};
// The bytes that stand for data in locks.
constexpr locked_range range_of_data(std::int64_t offset, std::int64_t length) noexcept {
  std::int64_t const begin = offset < first_reserved ? offset : first_reserved - 1;
  return {begin, length < first_reserved - begin ? length : first_reserved - begin};
}

// Every rank of an open locks a byte of its own, exclusively, from `open` to `close`; those of one open lie side by side, at a place
// chosen at random. Who merges shares all other bytes, for that moment: that cannot be had while another open is there, and none comes
// as long as it is held, but other ranks of the same open may merge at the same time. In front of all lies the door: who finds merges
// under way closes it, waits for its byte, and meanwhile no merge begins.
class presence {
 public:
  // The same number on all ranks.
  presence(std::uint64_t number, int rank, int ranks)
      : first_(place_of(number, ranks)), behind_(first_ + ranks), mine_(first_ + rank) {}

  // Waits for merges, which are no longer than a call. `none`: there are no locks, so this rank is seen by nobody.
  template <handle H>
  std::error_code enter(H& file, bool& none) const {
    std::error_code error, opened;
    if (try_lock_of(file, mine_, 1, lock_kind::exclusive, error)) return {};
    if (!error || error == errc::unsupported) {
      error = file.lock(door, 1, lock_kind::exclusive);
      if (!error) {
        error = or_give_back(file, door, 1, [&] { return file.lock(mine_, 1, lock_kind::exclusive); });
        opened = give_back(file, door, 1);
      }
    }
    none = !opened && classify(error) == errc::no_locks;
    return opened ? opened : error;
  }

  // True if nobody else may write to the file until readmit(). Never waits. `tried`: why there was no lock, unless somebody else has it;
  // `kept`: a lock could not be given back.
  template <handle H>
  bool exclude(H& file, std::error_code& tried, std::error_code& kept) const {
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
};

}  // namespace argosy::detail
