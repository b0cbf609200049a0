// Ranges of bytes in a list: the common part of all tables of byte-range locks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>

namespace argosy::detail {

// An entry for bytes [begin, end) of a file.
template <class Entry>
bool overlaps(Entry const& e, std::int64_t begin, std::int64_t end) noexcept {
  return e.begin < end && begin < e.end;
}

// Removes [begin, end) from the entries for which `mine` is true. Returns true if there were any.
// The rest of an entry stays at its place in the order. A spare list node is moved to `spare`, if
// that is empty, for tables that must not allocate.
template <class Entry, class Mine>
bool trim(std::list<Entry>& entries, std::int64_t begin, std::int64_t end, Mine&& mine,
          std::list<Entry>* spare = nullptr) {
  bool found = false;
  for (auto e = entries.begin(); e != entries.end();) {
    if (!mine(*e) || !overlaps(*e, begin, end)) {
      ++e;
      continue;
    }
    found = true;
    if (e->begin < begin) {
      Entry before = *e;
      before.end = begin;
      entries.insert(e, before);
    }
    if (end < e->end) {
      Entry behind = *e;
      behind.begin = end;
      entries.insert(e, behind);
    }
    auto const over = e++;
    if (spare && spare->empty())
      spare->splice(spare->begin(), entries, over);
    else
      entries.erase(over);
  }
  return found;
}

}  // namespace argosy::detail
