// Byte-range locks of one open file description, among its threads, too.
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
  // Asks again, after growing pauses, as long as somebody else has the lock; EAGAIN if `limit` has
  // passed. A shared lock on the byte `somebody_waits` tells others that it does.
  static int wait(int descriptor, int type, std::int64_t begin, std::int64_t end,
                  std::chrono::milliseconds limit);
  // Pauses if another open file description waits for a lock, so that it can have the bytes that
  // this one gave back at `released`.
  static void let_others(int descriptor, std::chrono::steady_clock::time_point released);

  // The last byte but one that offsets reach. It stands for no data, and no open of a file has it
  // for its own (presence.hpp).
  static constexpr std::int64_t somebody_waits = std::numeric_limits<std::int64_t>::max() - 2;
};

// The kernel's OFD locks exclude other open file descriptions, in this process or another; to the
// kernel, threads that share one are one owner. So a thread first takes its place in this table,
// then asks the kernel. If a thread unlocks a range for which another is just asking the kernel,
// the range stays locked until the kernel has answered the other.
template <class System>
class basic_range_locks {
 public:
  // Waits: for threads of this table without limit, for others as long as `limit`. Returns 0 or an
  // errno value: EAGAIN if others still have the lock. EINTR leaves everything as it was.
  int lock(int descriptor, std::int64_t begin, std::int64_t end, lock_kind kind,
           std::chrono::milliseconds limit);
  // Does not wait: EAGAIN where lock() would.
  int try_lock(int descriptor, std::int64_t begin, std::int64_t end, lock_kind kind);
  // Unlocks what this thread holds in [begin, end); if nothing, what another thread locked as
  // exactly this range.
  int unlock(int descriptor, std::int64_t begin, std::int64_t end);
  // Returns true if a lock was ever asked for, so that the kernel may hold some.
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

  // Takes its place in the table, and asks the kernel.
  template <class Call>
  int ask(std::unique_lock<typename System::mutex>& guard, int descriptor, entry const& e,
          Call&& call);
  place add(entry const& e);
  bool conflict(std::int64_t begin, std::int64_t end, lock_kind kind, owner_id owner) const;
  void give_up(std::int64_t begin, std::int64_t end, owner_id owner);
  // Unlocks in the kernel the parts of the range that no entry needs, not counting what `owner`
  // holds.
  int release(int descriptor, std::int64_t begin, std::int64_t end, owner_id owner) const;
  // Lets others have bytes that were unlocked last, if this range has some of them.
  void let_others(std::unique_lock<typename System::mutex>& guard, int descriptor,
                  std::int64_t begin, std::int64_t end);

  typename System::mutex mutex_;
  typename System::condition changed_;
  std::list<entry> entries_;
  std::list<entry> spare_;  // a node that a lock left for the next one
  std::atomic<bool> was_used_{false};
  struct {
    std::int64_t begin = 0, end = 0;
    std::chrono::steady_clock::time_point at;
  } released_;  // what was unlocked last
};

extern template class basic_range_locks<threads_and_kernel>;
using range_locks = basic_range_locks<threads_and_kernel>;

}  // namespace argosy::detail
