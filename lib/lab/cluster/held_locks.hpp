// The byte-range locks that ranks hold on one file of the virtual cluster. Every rank of an open
// file may hold one, so they are found by their place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
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
    longest_ = std::max(longest_, l.end - l.begin);
    own& mine = handles_[l.through];
    mine.low = mine.locks == 0 ? l.begin : std::min(mine.low, l.begin);
    mine.high = mine.locks == 0 ? l.end : std::max(mine.high, l.end);
    ++mine.locks;
    all_.emplace(l.begin, l);
  }
  // Returns true if `f` is true for a lock that overlaps [begin, end). O(log), and O(1) for each
  // lock that begins in this range, or before it by less than the longest lock.
  template <class F>
  bool any(std::int64_t begin, std::int64_t end, F&& f) const {
    for (auto l = first(begin); l != all_.end() && l->first < end; ++l)
      if (argosy::detail::overlaps(l->second, begin, end) && f(l->second)) return true;
    return false;
  }
  // Removes [begin, end) from the locks for which `mine` is true. Returns true if there were any.
  template <class Mine>
  bool trim(std::int64_t begin, std::int64_t end, Mine&& mine) {
    std::vector<held_lock> rests;
    bool found = false;
    for (auto l = first(begin); l != all_.end() && l->first < end;) {
      held_lock const old = l->second;
      if (!argosy::detail::overlaps(old, begin, end) || !mine(old)) {
        ++l;
        continue;
      }
      found = true;
      l = remove(l);
      if (old.begin < begin) rests.push_back({old.begin, begin, old.kind, old.owner, old.through});
      if (end < old.end) rests.push_back({end, old.end, old.kind, old.owner, old.through});
    }
    for (held_lock const& l : rests) add(l);
    return found;
  }
  // Removes the locks of a handle. Returns true if there were any.
  bool trim_all(open_virtual_file const* through) {
    auto const mine = handles_.find(through);
    if (mine == handles_.end()) return false;
    return trim(mine->second.low, mine->second.high,
                [=](held_lock const& l) { return l.through == through; });
  }
  // Removes the locks for which `f` is true. O(locks).
  template <class F>
  void erase_if(F&& f) {
    for (auto l = all_.begin(); l != all_.end();) l = f(l->second) ? remove(l) : std::next(l);
  }

 private:
  // The locks of a handle: their number, and a range that has all of them.
  struct own {
    std::size_t locks = 0;
    std::int64_t low = 0, high = 0;
  };
  using map = std::multimap<std::int64_t, held_lock>;
  map::const_iterator first(std::int64_t begin) const { return all_.upper_bound(before(begin)); }
  map::iterator first(std::int64_t begin) { return all_.upper_bound(before(begin)); }
  // Locks that begin here, or before, end at `begin` or before. Offsets are not negative.
  std::int64_t before(std::int64_t begin) const { return begin - longest_; }
  map::iterator remove(map::iterator l) {
    auto const mine = handles_.find(l->second.through);
    if (--mine->second.locks == 0) handles_.erase(mine);
    return all_.erase(l);
  }

  map all_;  // by begin
  std::unordered_map<open_virtual_file const*, own> handles_;
  std::int64_t longest_ = 0;  // length of the longest lock so far
};

}  // namespace argosy::lab::detail
