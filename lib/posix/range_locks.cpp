// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/detail/handle/range_locks.hpp>

#include <fcntl.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <vector>

namespace argosy::detail {

namespace {

constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();

int ask(int descriptor, int command, int type, std::int64_t begin, std::int64_t end) {
  struct flock range {};
  range.l_type = static_cast<short>(type);
  range.l_whence = SEEK_SET;
  range.l_start = begin;
  range.l_len = end == infinite ? 0 : end - begin;  // 0: to the end, however far it moves
  return ::fcntl(descriptor, command, &range) == 0 ? 0 : errno;
}

}  // namespace

bool range_locks::conflict(std::int64_t begin, std::int64_t end, lock_kind kind, std::thread::id owner) const {
  return std::any_of(entries_.begin(), entries_.end(), [=](entry const& e) {
    return e.owner != owner && e.begin < end && begin < e.end &&
           (kind == lock_kind::exclusive || e.kind == lock_kind::exclusive);
  });
}

void range_locks::trim(std::int64_t begin, std::int64_t end, std::thread::id owner, place kept) {
  for (place e = entries_.begin(); e != entries_.end();) {
    if (e == kept || e->owner != owner || e->end <= begin || end <= e->begin) {
      ++e;
      continue;
    }
    if (e->begin < begin) entries_.push_front({e->begin, begin, e->kind, owner});
    if (end < e->end) entries_.push_front({end, e->end, e->kind, owner});
    e = entries_.erase(e);
  }
}

int range_locks::release(int descriptor, std::int64_t begin, std::int64_t end, std::thread::id owner) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> needed;
  for (entry const& e : entries_)
    if (e.owner != owner && e.begin < end && begin < e.end) needed.emplace_back(e.begin, e.end);
  std::sort(needed.begin(), needed.end());
  int error = 0;
  auto const forget = [&](std::int64_t from, std::int64_t to) {
    if (from >= to) return;
    if (int const e = ask(descriptor, F_OFD_SETLK, F_UNLCK, from, to)) error = e;
  };
  for (auto const& [from, to] : needed) {
    forget(begin, std::min(from, end));
    begin = std::max(begin, to);
  }
  forget(begin, end);
  return error;
}

int range_locks::lock(int descriptor, std::int64_t begin, std::int64_t end, lock_kind kind) {
  auto const me = std::this_thread::get_id();
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [&] { return !conflict(begin, end, kind, me); });
  place const mine = entries_.insert(entries_.end(), {begin, end, kind, me});
  guard.unlock();  // other ranges go on while this one waits for another process
  int const error = ask(descriptor, F_OFD_SETLKW, kind == lock_kind::shared ? F_RDLCK : F_WRLCK, begin, end);
  guard.lock();
  if (error == 0) {
    trim(begin, end, me, mine);
  } else {
    // What the kernel held for this thread before stays, and so does its entry. But a thread that unlocked meanwhile may
    // have left bytes to this one, which now nobody needs.
    entries_.erase(mine);
    bool const held_before = std::any_of(entries_.begin(), entries_.end(), [&](entry const& e) {
      return e.owner == me && e.begin < end && begin < e.end;
    });
    if (!held_before) release(descriptor, begin, end, me);
  }
  guard.unlock();
  changed_.notify_all();
  return error;
}

int range_locks::unlock(int descriptor, std::int64_t begin, std::int64_t end) {
  auto owner = std::this_thread::get_id();
  std::unique_lock guard(mutex_);
  bool const mine = std::any_of(entries_.begin(), entries_.end(), [&](entry const& e) {
    return e.owner == owner && e.begin < end && begin < e.end;
  });
  if (!mine) {
    auto const other = std::find_if(entries_.begin(), entries_.end(),
                                    [=](entry const& e) { return e.begin == begin && e.end == end; });
    if (other != entries_.end()) owner = other->owner;
  }
  // The kernel first: once the entry is gone, another thread may be given the same bytes.
  int const error = release(descriptor, begin, end, owner);
  trim(begin, end, owner, entries_.end());
  guard.unlock();
  changed_.notify_all();
  return error;
}

}  // namespace argosy::detail
