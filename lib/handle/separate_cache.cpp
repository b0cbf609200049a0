// Implements handle/detail/separate_cache.hpp by Linux's calls for the page cache.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/separate_cache.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace argosy::detail {

void separate_cache::read_nothing_ahead(int descriptor) noexcept {
  // An error is ignored: file systems without this call do not read ahead.
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM);
}

int separate_cache::write_out(int descriptor) {
  written_.store(false, std::memory_order_relaxed);
  if (::fdatasync(descriptor) == 0) return 0;
  int const error = errno;
  written_.store(true, std::memory_order_relaxed);
  if (error != EINTR) lost_ = error;
  return error;
}

separate_cache::~separate_cache() {
  if (reader_ >= 0) ::close(reader_);
}

bool separate_cache::read_at_server(int descriptor) noexcept {
  // By number, because the name may mean another file by now.
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "/proc/self/fd/%d", descriptor);
  reader_ = ::open(name.data(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  return reader_ >= 0;
}

// Only one thread at a time: a thread that finds nothing to write must not return while another
// thread still writes it out.
int separate_cache::flush(int descriptor) {
  std::lock_guard const guard(one_at_a_time_);
  int const now = written_.load(std::memory_order_relaxed) ? write_out(descriptor) : 0;
  if (now == EINTR) return now;  // the caller repeats an interrupted call
  int const before = std::exchange(untold_, 0);
  return now != 0 ? now : before;
}

int separate_cache::take_lost() {
  std::lock_guard const guard(one_at_a_time_);
  untold_ = 0;
  return std::exchange(lost_, 0);
}

int separate_cache::renew(int descriptor) {
  std::lock_guard const guard(one_at_a_time_);
  std::uint64_t const now = wanted_.load(std::memory_order_acquire);
  // This is called even if nothing was written, because clients in user space get the size from the
  // answer. An error does not stop this rank from reading. The next call that unlocks, reconciles,
  // syncs or closes returns it.
  int const error = write_out(descriptor);
  if (error == EINTR) return error;
  if (error != 0) untold_ = error;
  if (int const kept = ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)) return kept;
  struct statx about{};
  if (::statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE | STATX_MTIME,
              &about) != 0)
    return errno;
  fresh_.store(now, std::memory_order_release);
  return 0;
}

}  // namespace argosy::detail
