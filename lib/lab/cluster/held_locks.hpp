// The byte-range locks that ranks hold on one file of the virtual cluster. Every rank of an open
// file may hold one, so they are found by their place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <argosy/handle/detail/range_list.hpp>
#include <argosy/handle/handle.hpp>

#include "task.hpp"

namespace argosy::lab::detail {

struct open_virtual_file;

struct held_lock {
  std::int64_t begin, end;
  lock_kind kind;
  task const* owner;  // null outside of runs
  open_virtual_file const* through;
};

class held_locks {
 public:
  void add(held_lock const& l) {
    std::size_t const k = size_of(l);
    handles_[l.through].emplace_back(k, by_size_[k].emplace(l.begin, l));
  }
  // Returns true if `f` is true for a lock that overlaps [begin, end). O(log) for each size, and
  // O(1) for each lock that begins in this range, or before it by less than twice its length.
  template <class F>
  bool any(std::int64_t begin, std::int64_t end, F&& f) const {
    for (std::size_t k = 0; k < sizes; ++k)
      for (auto l = by_size_[k].upper_bound(before(k, begin));
           l != by_size_[k].end() && l->first < end; ++l)
        if (argosy::detail::overlaps(l->second, begin, end) && f(l->second)) return true;
    return false;
  }
  // Removes [begin, end) from the locks for which `mine` is true. Returns true if there were any.
  template <class Mine>
  bool trim(std::int64_t begin, std::int64_t end, Mine&& mine) {
    std::vector<held_lock> rests;
    bool found = false;
    for (std::size_t k = 0; k < sizes; ++k)
      for (auto l = by_size_[k].upper_bound(before(k, begin));
           l != by_size_[k].end() && l->first < end;) {
        held_lock const old = l->second;
        if (!argosy::detail::overlaps(old, begin, end) || !mine(old)) {
          ++l;
          continue;
        }
        found = true;
        l = remove(k, l);
        if (old.begin < begin)
          rests.push_back({old.begin, begin, old.kind, old.owner, old.through});
        if (end < old.end) rests.push_back({end, old.end, old.kind, old.owner, old.through});
      }
    for (held_lock const& l : rests) add(l);
    return found;
  }
  // Removes the locks of a handle. Returns true if there were any.
  bool trim_all(open_virtual_file const* through) {
    auto const mine = handles_.extract(through);
    if (mine.empty()) return false;
    for (auto const& [k, lock] : mine.mapped()) by_size_[k].erase(lock);
    return true;
  }
  // Removes the locks for which `f` is true. O(locks).
  template <class F>
  void erase_if(F&& f) {
    for (std::size_t k = 0; k < sizes; ++k)
      for (auto l = by_size_[k].begin(); l != by_size_[k].end();)
        l = f(l->second) ? remove(k, l) : std::next(l);
  }

 private:
  using map = std::multimap<std::int64_t, held_lock>;
  static constexpr std::size_t sizes = 63;
  // Returns k if the lock has 2^k bytes or more, but fewer than 2^(k + 1).
  static std::size_t size_of(held_lock const& l) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(l.end - l.begin)) -
                                    1);
  }
  // Returns an offset: locks of this size that begin there, or before, do not reach `begin`.
  // Offsets of locks are not negative.
  static std::int64_t before(std::size_t k, std::int64_t begin) {
    return begin - static_cast<std::int64_t>((std::uint64_t{2} << k) - 1);
  }
  map::iterator remove(std::size_t k, map::iterator l) {
    auto const mine = handles_.find(l->second.through);
    std::erase(mine->second, std::pair(k, l));
    if (mine->second.empty()) handles_.erase(mine);
    return by_size_[k].erase(l);
  }

  // By begin, for each size. So a few long locks do not hide the places of short ones.
  std::array<map, sizes> by_size_;
  // the locks of each handle
  std::unordered_map<open_virtual_file const*, std::vector<std::pair<std::size_t, map::iterator>>>
      handles_;
};

}  // namespace argosy::lab::detail
