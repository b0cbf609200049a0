// Function bodies of the table of byte-range locks, for any threads and kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include <argosy/handle/detail/range_locks.hpp>

namespace argosy::detail {

template <class System>
auto basic_range_locks<System>::add(entry const& e) -> place {
  if (spare_.empty()) return entries_.insert(entries_.end(), e);
  spare_.front() = e;
  place const added = spare_.begin();
  entries_.splice(entries_.end(), spare_, added);
  return added;
}

template <class System>
bool basic_range_locks<System>::conflict(std::int64_t begin, std::int64_t end, lock_kind kind,
                                         owner_id owner) const {
  return std::any_of(entries_.begin(), entries_.end(), [=](entry const& e) {
    return e.owner != owner && overlaps(e, begin, end) &&
           (kind == lock_kind::exclusive || e.kind == lock_kind::exclusive);
  });
}

template <class System>
void basic_range_locks<System>::give_up(std::int64_t begin, std::int64_t end, owner_id owner) {
  trim(entries_, begin, end, [=](entry const& e) { return e.held && e.owner == owner; }, &spare_);
}

template <class System>
int basic_range_locks<System>::release(int descriptor, std::int64_t begin, std::int64_t end,
                                       owner_id owner) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> needed;
  for (entry const& e : entries_)
    if (!(e.held && e.owner == owner) && overlaps(e, begin, end))
      needed.emplace_back(e.begin, e.end);
  std::sort(needed.begin(), needed.end());
  int error = 0;
  auto const forget = [&](std::int64_t from, std::int64_t to) {
    if (from >= to) return;
    if (int const e = System::control(descriptor, F_UNLCK, from, to)) error = e;
  };
  for (auto const& [from, to] : needed) {
    forget(begin, from);
    begin = std::max(begin, to);
  }
  forget(begin, end);
  return error;
}

template <class System>
int basic_range_locks<System>::lock(int descriptor, std::int64_t begin, std::int64_t end,
                                    lock_kind kind, std::chrono::milliseconds limit) {
  auto const me = System::self();
  std::unique_lock guard(mutex_);
  let_others(guard, descriptor, begin, end);
  changed_.wait(guard, [&] { return !conflict(begin, end, kind, me); });
  return ask(guard, descriptor, {begin, end, kind, me, false},
             [&](int type) { return System::wait(descriptor, type, begin, end, limit); });
}

template <class System>
int basic_range_locks<System>::try_lock(int descriptor, std::int64_t begin, std::int64_t end,
                                        lock_kind kind) {
  auto const me = System::self();
  std::unique_lock guard(mutex_);
  if (conflict(begin, end, kind, me)) return EAGAIN;
  return ask(guard, descriptor, {begin, end, kind, me, false},
             [&](int type) { return System::control(descriptor, type, begin, end); });
}

template <class System>
template <class Call>
int basic_range_locks<System>::ask(std::unique_lock<typename System::mutex>& guard, int descriptor,
                                   entry const& e, Call&& call) {
  was_used_ = true;
  place const mine = add(e);
  guard.unlock();  // other ranges proceed while this one waits for another process
  int const error = call(e.kind == lock_kind::shared ? F_RDLCK : F_WRLCK);
  guard.lock();
  if (error == 0) {
    give_up(e.begin, e.end, e.owner);
    mine->held = true;
  } else {
    // Earlier locks of this thread stay, and so do their entries. But another thread may have
    // unlocked meanwhile, and left bytes locked for this thread, which no longer needs them.
    entries_.erase(mine);
    release(descriptor, e.begin, e.end, {});
  }
  guard.unlock();
  changed_.notify_all();
  return error;
}

template <class System>
int basic_range_locks<System>::unlock(int descriptor, std::int64_t begin, std::int64_t end) {
  auto owner = System::self();
  std::unique_lock guard(mutex_);
  bool const mine = std::any_of(entries_.begin(), entries_.end(), [&](entry const& e) {
    return e.owner == owner && overlaps(e, begin, end);
  });
  if (!mine) {
    auto const other = std::find_if(entries_.begin(), entries_.end(), [=](entry const& e) {
      return e.held && e.begin == begin && e.end == end;
    });
    if (other != entries_.end()) owner = other->owner;
  }
  // The kernel comes first: once the entry is gone, another thread may get the same bytes.
  int const error = release(descriptor, begin, end, owner);
  give_up(begin, end, owner);
  released_ = {begin, end, std::chrono::steady_clock::now()};
  guard.unlock();
  changed_.notify_all();
  return error;
}

template <class System>
void basic_range_locks<System>::let_others(std::unique_lock<typename System::mutex>& guard,
                                           int descriptor, std::int64_t begin, std::int64_t end) {
  if constexpr (requires { System::let_others(descriptor, released_.at); }) {
    auto const last = released_;
    if (begin >= last.end || last.begin >= end) return;
    guard.unlock();
    System::let_others(descriptor, last.at);
    guard.lock();
  }
}

}  // namespace argosy::detail
