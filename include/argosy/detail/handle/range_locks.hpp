// Byte-range locks of one open file description, among its threads, too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

#include <argosy/handle/handle.hpp>

namespace argosy::detail {

// The kernel's OFD locks exclude other open file descriptions, in this process or another; threads that share one are one
// owner to it. So a thread first takes its place in this table, then asks the kernel.
class range_locks {
 public:
  // Waits. 0 or an errno value; EINTR leaves everything as it was.
  int lock(int descriptor, std::int64_t begin, std::int64_t end, lock_kind kind);
  // What this thread holds in [begin, end); if it holds nothing there, what another locked as exactly this range.
  int unlock(int descriptor, std::int64_t begin, std::int64_t end);

 private:
  struct entry {
    std::int64_t begin, end;
    lock_kind kind;
    std::thread::id owner;
  };
  using place = std::list<entry>::iterator;

  bool conflict(std::int64_t begin, std::int64_t end, lock_kind kind, std::thread::id owner) const;
  // Takes [begin, end) from the entries of `owner`, except from `kept`.
  void trim(std::int64_t begin, std::int64_t end, std::thread::id owner, place kept);
  // Tells the kernel to forget what no entry of others needs.
  int release(int descriptor, std::int64_t begin, std::int64_t end, std::thread::id owner) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<entry> entries_;  // held, or waiting for the kernel
};

}  // namespace argosy::detail
