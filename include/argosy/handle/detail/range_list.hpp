// Ranges of bytes in a list: what all tables of byte-range locks have in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>

namespace argosy::detail {

// An entry says which bytes of a file it is about, [begin, end).
template <class Entry>
bool overlaps(Entry const& e, std::int64_t begin, std::int64_t end) noexcept {
  return e.begin < end && begin < e.end;
}

// Takes [begin, end) from the entries for which `mine` holds; true if there were any. What is left of an entry keeps its order.
// A node that is over goes to `spare`, if there is none yet: for tables that are to allocate nothing.
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
