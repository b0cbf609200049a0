// Instantiates the lock table of range_locks.hpp for the threads of this process and the kernel's OFD locks.
// SPDX-License-Identifier: BSD-3-Clause
#include "range_locks.hpp"

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>
#include <limits>

namespace argosy::detail {

int threads_and_kernel::control(int descriptor, int command, int type, std::int64_t begin, std::int64_t end) {
  struct flock range{};
  range.l_type = static_cast<short>(type);
  range.l_whence = SEEK_SET;
  range.l_start = begin;
  bool const endless = end == std::numeric_limits<std::int64_t>::max();
  range.l_len = endless ? 0 : end - begin;  // 0: to the end, however far it moves
  return ::fcntl(descriptor, command, &range) == 0 ? 0 : errno;
}

template class basic_range_locks<threads_and_kernel>;

}  // namespace argosy::detail
