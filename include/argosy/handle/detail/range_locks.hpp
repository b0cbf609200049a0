// Byte-range locks of one open file description. They also exclude its threads from each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <list>
#include <mutex>
#include <thread>

#include <argosy/handle/detail/range_list.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy::detail {

// The threads and the kernel that the table uses; a test replaces both.
struct threads_and_kernel {
  using mutex = std::mutex;
  using condition = std::condition_variable;
  using owner = std::thread::id;
  static owner self() noexcept { return std::this_thread::get_id(); }
  // Calls fcntl with F_OFD_SETLK, which does not wait. Returns 0 or errno.
  static int control(int descriptor, int type, std::int64_t begin, std::int64_t end);
  // Tries again, after growing pauses, as long as another owner has the lock. Returns EAGAIN after
  // `limit`. A shared lock on the byte `somebody_waits` shows others that this owner waits.
  static int wait(int descriptor, int type, std::int64_t begin, std::int64_t end,
                  std::chrono::milliseconds limit);
  // Pauses if another open file description waits for a lock, so that it can lock the bytes that
  // this one unlocked at `released`.
  static void let_others(int descriptor, std::chrono::steady_clock::time_point released);

  // The last but one byte that offsets can reach. It has no data, and no open of a file has it as
  // its own byte (presence.hpp).
  static constexpr std::int64_t somebody_waits = std::numeric_limits<std::int64_t>::max() - 2;
};

// The table of locks. The kernel's OFD locks exclude other open file descriptions, in this process
// or another, but threads that share one are one owner to the kernel. A thread therefore first
// takes its place in this table, then asks the kernel. If a thread unlocks a range while another
// thread asks the kernel for it, the range stays locked until the kernel has answered.
template <class System>
class basic_range_locks {
 public:
  // Waits for a lock: for threads of this table without limit, for other owners up to `limit`.
  // Returns 0 or an errno value; EAGAIN if another owner still has the lock. After EINTR nothing
  // has changed.
  int lock(int descriptor, std::int64_t begin, std::int64_t end, lock_kind kind,
           std::chrono::milliseconds limit);
  // Locks without waiting. Returns EAGAIN if lock() would wait.
  int try_lock(int descriptor, std::int64_t begin, std::int64_t end, lock_kind kind);
  // Unlocks the locks of this thread in [begin, end). If there are none, unlocks a lock of exactly
  // this range that another thread holds.
  int unlock(int descriptor, std::int64_t begin, std::int64_t end);
  // Returns true if a lock was ever requested, so that the kernel may hold some.
  bool was_used() const noexcept { return was_used_; }

 private:
  using owner_id = typename System::owner;
  struct entry {
    std::int64_t begin, end;
    lock_kind kind;
    owner_id owner;
    bool held;  // false: waiting for the kernel
  };
  using place = typename std::list<entry>::iterator;

  // Adds an entry to the table, and asks the kernel.
  template <class Call>
  int ask(std::unique_lock<typename System::mutex>& guard, int descriptor, entry const& e,
          Call&& call);
  place add(entry const& e);
  bool conflict(std::int64_t begin, std::int64_t end, lock_kind kind, owner_id owner) const;
  void give_up(std::int64_t begin, std::int64_t end, owner_id owner);
  // Unlocks in the kernel the parts of the range that no entry needs. Entries that `owner` holds do
  // not count.
  int release(int descriptor, std::int64_t begin, std::int64_t end, owner_id owner) const;
  // Lets other owners lock the bytes that were unlocked last, if this range contains some of them.
  void let_others(std::unique_lock<typename System::mutex>& guard, int descriptor,
                  std::int64_t begin, std::int64_t end);

  typename System::mutex mutex_;
  typename System::condition changed_;
  std::list<entry> entries_;
  std::list<entry> spare_;  // a list node that a lock left for the next one
  std::atomic<bool> was_used_{false};
  struct {
    std::int64_t begin = 0, end = 0;
    std::chrono::steady_clock::time_point at;
  } released_;  // the last unlocked range
};

extern template class basic_range_locks<threads_and_kernel>;
using range_locks = basic_range_locks<threads_and_kernel>;

}  // namespace argosy::detail
