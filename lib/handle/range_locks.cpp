// Instantiates the lock table of range_locks.hpp for the threads of this process and the kernel's
// OFD locks.
// SPDX-License-Identifier: BSD-3-Clause
#include "range_locks.hpp"

#include <fcntl.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <thread>

namespace argosy::detail {

namespace {

int ask_kernel(int descriptor, int command, int type, std::int64_t begin, std::int64_t end,
               struct flock& range) {
  range = {};
  range.l_type = static_cast<short>(type);
  range.l_whence = SEEK_SET;
  range.l_start = begin;
  bool const endless = end == std::numeric_limits<std::int64_t>::max();
  range.l_len = endless ? 0 : end - begin;  // 0: to the end, however far it moves
  return ::fcntl(descriptor, command, &range) == 0 ? 0 : errno;
}

bool is_busy(int error) { return error == EAGAIN || error == EACCES; }

// Shows others that this open file description waits, while it lives. Waiting works without it,
// too.
class waiting {
 public:
  // A range that contains the byte itself is not shown: two owners that both wait for all bytes
  // would block each other.
  waiting(int descriptor, std::int64_t begin, std::int64_t end)
      : descriptor_(begin <= byte && byte < end ? -1 : descriptor) {}
  waiting(waiting const&) = delete;
  waiting& operator=(waiting const&) = delete;
  ~waiting() {
    if (is_told_) set(F_UNLCK);
  }
  // Shows it again, because another thread of the same handle may have removed the mark.
  void tell() {
    if (descriptor_ < 0) return;
    // A file that cannot be read has no shared locks.
    if (set(F_RDLCK) == 0 || set(F_WRLCK) == 0) is_told_ = true;
  }

 private:
  static constexpr std::int64_t byte = threads_and_kernel::somebody_waits;
  int set(int type) const { return threads_and_kernel::control(descriptor_, type, byte, byte + 1); }

  int descriptor_;
  bool is_told_ = false;
};

// Returns a pause that grows with the time that has passed. Pauses are shorter than that of
// let_others() at first. They are longer if an owner holds a lock for long, because the lock may be
// at a server.
std::chrono::nanoseconds pause_after(std::chrono::nanoseconds waited) {
  constexpr std::chrono::nanoseconds shortest = std::chrono::microseconds(20),
                                     usual = std::chrono::milliseconds(1),
                                     longest = std::chrono::milliseconds(8);
  return std::clamp(waited / 8, shortest, std::clamp(waited / 1000, usual, longest));
}

}  // namespace

int threads_and_kernel::control(int descriptor, int type, std::int64_t begin, std::int64_t end) {
  struct flock range;
  return ask_kernel(descriptor, F_OFD_SETLK, type, begin, end, range);
}

// Polls, because F_OFD_SETLKW has no limit, and the owner may be a program that never releases the
// lock.
int threads_and_kernel::wait(int descriptor, int type, std::int64_t begin, std::int64_t end,
                             std::chrono::milliseconds limit) {
  using clock = std::chrono::steady_clock;
  int error = control(descriptor, type, begin, end);
  if (!is_busy(error)) return error;
  auto const since = clock::now();
  waiting told(descriptor, begin, end);
  while (is_busy(error)) {
    std::chrono::nanoseconds const waited = clock::now() - since;
    if (waited >= limit) return EAGAIN;
    told.tell();
    std::this_thread::sleep_for(pause_after(waited));
    error = control(descriptor, type, begin, end);
  }
  return error;
}

void threads_and_kernel::let_others(int descriptor,
                                    std::chrono::steady_clock::time_point released) {
  constexpr std::chrono::milliseconds turn(2);
  auto const until = released + turn;
  if (std::chrono::steady_clock::now() >= until) return;
  struct flock told;
  int const error =
      ask_kernel(descriptor, F_OFD_GETLK, F_WRLCK, somebody_waits, somebody_waits + 1, told);
  // A lock of more than one byte is of another kind.
  if (error == 0 && told.l_type != F_UNLCK && told.l_len == 1) std::this_thread::sleep_until(until);
}

template class basic_range_locks<threads_and_kernel>;

}  // namespace argosy::detail
