// Instantiates the lock table of range_locks.hpp for the threads of this process and the kernel's OFD locks.
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

int threads_and_kernel::control(int descriptor, int type, std::int64_t begin, std::int64_t end) {
  struct flock range{};
  range.l_type = static_cast<short>(type);
  range.l_whence = SEEK_SET;
  range.l_start = begin;
  bool const endless = end == std::numeric_limits<std::int64_t>::max();
  range.l_len = endless ? 0 : end - begin;  // 0: to the end, however far it moves
  return ::fcntl(descriptor, F_OFD_SETLK, &range) == 0 ? 0 : errno;
}

// F_OFD_SETLKW has no limit, and the holder may be a program that never gives the lock back. The
// pauses grow with the time that has passed, so that a lock is had at most an eighth later than by
// waiting in the kernel.
int threads_and_kernel::wait(int descriptor, int type, std::int64_t begin, std::int64_t end,
                             std::chrono::milliseconds limit) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds shortest = std::chrono::microseconds(20),
                                     longest = std::chrono::milliseconds(50);
  auto const is_busy = [](int error) { return error == EAGAIN || error == EACCES; };
  int error = control(descriptor, type, begin, end);
  if (!is_busy(error)) return error;
  auto const since = clock::now();
  while (is_busy(error)) {
    std::chrono::nanoseconds const waited = clock::now() - since;
    if (waited >= limit) return EAGAIN;
    std::this_thread::sleep_for(std::clamp(waited / 8, shortest, longest));
    error = control(descriptor, type, begin, end);
  }
  return error;
}

template class basic_range_locks<threads_and_kernel>;

}  // namespace argosy::detail
