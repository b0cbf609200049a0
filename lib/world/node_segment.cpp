// Implements node_segment.hpp: memory files, and waiting for a word by futex.
// SPDX-License-Identifier: BSD-3-Clause
#include "node_segment.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>

namespace argosy::detail::node_segment {

namespace {

// For a file beyond RLIMIT_FSIZE the kernel would send a signal that ends the process.
bool too_large(std::size_t size) noexcept {
  if (size > static_cast<std::uintmax_t>(std::numeric_limits<off_t>::max())) return true;
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur;
}

// Another process of the same id may live in another container that shares the name space, so there is more to a name.
name new_name() noexcept {
  static std::atomic<unsigned> count = 0;
  auto const now = std::chrono::steady_clock::now().time_since_epoch().count();
  name n{};
  std::snprintf(n.data(), n.size(), "/argosy.%ld.%u.%llx", static_cast<long>(::getpid()), count++,
                static_cast<unsigned long long>(now));
  return n;
}

int map(int descriptor, std::size_t size, std::byte*& first) noexcept {
  void* const place = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (place == MAP_FAILED) return errno;
  first = static_cast<std::byte*>(place);
  return 0;
}

// Reserves all space now: a page without space would be a SIGBUS when it is first touched.
int reserve(int descriptor, std::size_t size) noexcept {
  for (;;)
    if (int const error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(size)); error != EINTR) return error;
}

}  // namespace

int create(name& n, std::size_t size, std::byte*& first) noexcept {
  if (too_large(size)) return EFBIG;
  int descriptor = -1;
  do n = new_name();
  while ((descriptor = ::shm_open(n.data(), O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR)) < 0 && errno == EEXIST);
  if (descriptor < 0) return errno;
  int error = reserve(descriptor, size);
  if (error == 0) error = map(descriptor, size, first);
  ::close(descriptor);
  if (error != 0) remove(n);
  return error;
}

int open(name const& n, std::size_t size, std::byte*& first) noexcept {
  int const descriptor = ::shm_open(n.data(), O_RDWR, 0);
  if (descriptor < 0) return errno;
  int const error = map(descriptor, size, first);
  ::close(descriptor);
  return error;
}

void remove(name const& n) noexcept { ::shm_unlink(n.data()); }

void unmap(std::byte* first, std::size_t size) noexcept { ::munmap(first, size); }

void wait(std::uint32_t const& word, std::uint32_t seen) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

void wake(std::uint32_t const& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace argosy::detail::node_segment
