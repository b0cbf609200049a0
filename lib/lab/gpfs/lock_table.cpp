// Implements lab/gpfs/detail/lock_table.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/detail/lock_table.hpp>

#include <algorithm>
#include <iterator>

#include <argosy/handle/detail/range_list.hpp>

namespace argosy::lab::gpfs::detail {

using argosy::detail::overlaps;
using argosy::detail::trim;

bool lock_table::request(holder const& who, std::int64_t begin, std::int64_t end, bool exclusive,
                         std::int64_t call) {
  waiting_.push_back({who, begin, end, exclusive, call});
  bool const goes = may_go(waiting_.back(), std::prev(waiting_.end()));
  if (goes) grant();
  return goes;
}

// A request waits for conflicting holders and earlier requests, so that every request gets its
// turn. If the requester holds a lock that another request waits for, it waits only for holders,
// because an earlier request may be waiting for that lock.
bool lock_table::may_go(entry const& w, place earlier) const {
  auto const stop = [](entry const& e, entry const& other) {
    return e.who != other.who && overlaps(e, other.begin, other.end) &&
           (e.exclusive || other.exclusive);
  };
  auto const stops = [&](entry const& e) { return stop(e, w); };
  if (std::any_of(held_.begin(), held_.end(), stops)) return false;
  if (std::none_of(waiting_.begin(), earlier, stops)) return true;
  return std::any_of(held_.begin(), held_.end(), [&](entry const& h) {
    return h.who == w.who && std::any_of(waiting_.begin(), waiting_.end(),
                                         [&](entry const& e) { return stop(h, e); });
  });
}

void lock_table::take(entry const& e) {
  trim(held_, e.begin, e.end, [&](entry const& h) { return h.who == e.who; });
  held_.push_back(e);
  granted_.emplace_back(e.who, e.call);
}

void lock_table::unlock(holder const& who, std::int64_t begin, std::int64_t end) {
  if (!trim(held_, begin, end, [&](entry const& h) { return h.who == who; }))
    trim(held_, begin, end, [&](entry const& h) {
      return h.who.node == who.node && h.who.instance == who.instance && h.begin == begin &&
             h.end == end;
    });
  grant();
}

void lock_table::forget(node_id node, int instance) {
  auto const gone = [=](entry const& e) {
    return e.who.node == node && e.who.instance == instance;
  };
  held_.remove_if(gone);
  waiting_.remove_if(gone);
  grant();
}

void lock_table::forget(node_id node) {
  auto const gone = [=](entry const& e) { return e.who.node == node; };
  held_.remove_if(gone);
  waiting_.remove_if(gone);
  grant();
}

void lock_table::grant() {
  for (auto w = waiting_.begin(); w != waiting_.end();) {
    if (!may_go(*w, w)) {
      ++w;
      continue;
    }
    take(*w);
    waiting_.erase(w);
    w = waiting_.begin();  // a conversion may have released a range
  }
}

}  // namespace argosy::lab::gpfs::detail
