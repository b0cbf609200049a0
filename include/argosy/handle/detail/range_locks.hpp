// Byte-range locks of one open file description, among its threads, too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

#include <argosy/handle/detail/range_list.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy::detail {

// What the table stands on; a test has threads and a kernel of its own.
struct threads_and_kernel {
  using mutex = std::mutex;
  using condition = std::condition_variable;
  using owner = std::thread::id;
  static owner self() noexcept { return std::this_thread::get_id(); }
  // fcntl with one of the OFD commands and types; errno.
  static int control(int descriptor, int command, int type, std::int64_t begin, std::int64_t end);
};

// The kernel's OFD locks exclude other open file descriptions, in this process or another; threads that share one are one
// owner to it. So a thread first takes its place in this table, then asks the kernel. What one unlocks meanwhile stays locked
// for the other who asks for it, until that one is answered.
template <class System>
class basic_range_locks {
 public:
  // Waits. 0 or an errno value; EINTR leaves everything as it was.
  int lock(int descriptor, std::int64_t begin, std::int64_t end, lock_kind kind);
  // What this thread holds in [begin, end); if it holds nothing there, what another locked as exactly this range.
  int unlock(int descriptor, std::int64_t begin, std::int64_t end);

 private:
  using owner_id = typename System::owner;
  struct entry {
    std::int64_t begin, end;
    lock_kind kind;
    owner_id owner;
    bool held;  // or waiting for the kernel
  };
  using place = typename std::list<entry>::iterator;

  place add(entry const& e);
  bool conflict(std::int64_t begin, std::int64_t end, lock_kind kind, owner_id owner) const;
  void give_up(std::int64_t begin, std::int64_t end, owner_id owner);
  // Tells the kernel to forget what no entry needs, other than what `owner` holds.
  int release(int descriptor, std::int64_t begin, std::int64_t end, owner_id owner) const;

  typename System::mutex mutex_;
  typename System::condition changed_;
  std::list<entry> entries_;
  std::list<entry> spare_;  // a node that a lock left for the next one
};

extern template class basic_range_locks<threads_and_kernel>;
using range_locks = basic_range_locks<threads_and_kernel>;

}  // namespace argosy::detail
