// Implements node_segment.hpp: files in memory, and waiting for a word by futex.
// SPDX-License-Identifier: BSD-3-Clause
#include "node_segment.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
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

bool too_large(std::size_t size) noexcept {
  return size > static_cast<std::uintmax_t>(std::numeric_limits<off_t>::max());
}

// Returns true if a limit on the size of files forbids a segment of this size. The kernel counts a
// file in memory as a file, and ends the process by a signal if it exceeds the limit.
bool counts_as_file(std::size_t size) noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
         (limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur);
}

// --- Segments of System V, which no limit of files concerns ---

constexpr char const* number_format = "number %d";

int create_numbered(name& n, std::size_t size, std::byte*& first) noexcept {
  int const number = ::shmget(IPC_PRIVATE, size, IPC_CREAT | S_IRUSR | S_IWUSR);
  if (number < 0) return errno;
  void* const place = ::shmat(number, nullptr, 0);
  int const error = errno;
  // The segment lives as long as a process has it attached. Until then Linux lets other processes
  // attach it.
  ::shmctl(number, IPC_RMID, nullptr);
  if (reinterpret_cast<std::intptr_t>(place) == -1) return error;
  first = static_cast<std::byte*>(place);
  n = {};
  std::snprintf(n.data(), n.size(), number_format, number);
  return 0;
}

int open_numbered(int number, std::byte*& first) noexcept {
  void* const place = ::shmat(number, nullptr, 0);
  if (reinterpret_cast<std::intptr_t>(place) == -1) return errno;
  first = static_cast<std::byte*>(place);
  return 0;
}

// Returns the number in the name, or -1 if the name is that of a file.
int number_of(name const& n) noexcept {
  int number = -1;
  return std::sscanf(n.data(), number_format, &number) == 1 ? number : -1;
}

// --- Files in memory ---

// A name contains more than the process id, because a process in another container that shares the
// name space may have the same id.
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

// --- Descriptors of the process that made the segment ---

constexpr char const* descriptor_format = "descriptor %ld %d %llu %llu";

struct descriptor_of {
  long process = 0;
  int number = -1;
  // Another process in this container may have that number.
  unsigned long long device = 0, inode = 0;

  bool is(struct stat const& s) const noexcept { return s.st_dev == device && s.st_ino == inode; }
};

int name_descriptor(name& n, int descriptor) noexcept {
  struct stat s = {};
  if (::fstat(descriptor, &s) != 0) return errno;
  n = {};
  int const letters = std::snprintf(
      n.data(), n.size(), descriptor_format, static_cast<long>(::getpid()), descriptor,
      static_cast<unsigned long long>(s.st_dev), static_cast<unsigned long long>(s.st_ino));
  return letters < static_cast<int>(n.size()) ? 0 : ENAMETOOLONG;
}

bool is_descriptor(name const& n, descriptor_of& d) noexcept {
  return std::sscanf(n.data(), descriptor_format, &d.process, &d.number, &d.device, &d.inode) == 4;
}

int open_descriptor(descriptor_of const& d) noexcept {
  char path[64] = {};
  std::snprintf(path, sizeof path, "/proc/%ld/fd/%d", d.process, d.number);
  // Checks before opening, because the entry of another process may be a device or a pipe.
  struct stat s = {};
  if (::stat(path, &s) != 0) return -1;
  if (!d.is(s)) {
    errno = ESRCH;
    return -1;
  }
  int const descriptor = ::open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0 || (::fstat(descriptor, &s) == 0 && d.is(s))) return descriptor;
  ::close(descriptor);
  errno = ESRCH;
  return -1;
}

std::atomic<kind> kind_made{kind::nameless};

// Reserves all space now. Otherwise the first access to a page without space would raise SIGBUS.
int reserve(int descriptor, std::size_t size) noexcept {
  for (;;)
    if (int const error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(size));
        error != EINTR)
      return error;
}

}  // namespace

kind preferred() noexcept { return kind_made; }
void prefer(kind k) noexcept { kind_made = k; }

bool may_need_name(int error) noexcept {
  for (int const other : {ENOMEM, EMFILE, ENFILE, ENOSPC, EFBIG, EINVAL})
    if (error == other) return false;
  return true;
}

int create(name& n, std::size_t size, std::byte*& first, kind& k) noexcept {
  if (too_large(size)) return EFBIG;
  if (counts_as_file(size)) return create_numbered(n, size, first);
  int descriptor = -1;
  if (k == kind::nameless) {
    descriptor = ::open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0 && (errno == EMFILE || errno == ENFILE)) return errno;
    if (descriptor < 0) k = kind::named;  // the system has no files in memory
  }
  if (k == kind::named) {
    do n = new_name();
    while ((descriptor = ::shm_open(n.data(), O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR)) < 0 &&
           errno == EEXIST);
    if (descriptor < 0) return errno;
  }
  int error = reserve(descriptor, size);
  if (error == 0 && k == kind::nameless) error = name_descriptor(n, descriptor);
  if (error == 0) error = map(descriptor, size, first);
  if (error == 0 && k == kind::nameless) return 0;  // stays open until it is removed
  ::close(descriptor);
  if (error != 0 && k == kind::named) remove(n);
  return error;
}

int open(name const& n, std::size_t size, std::byte*& first) noexcept {
  if (int const number = number_of(n); number >= 0) return open_numbered(number, first);
  descriptor_of made;
  int const descriptor =
      is_descriptor(n, made) ? open_descriptor(made) : ::shm_open(n.data(), O_RDWR, 0);
  if (descriptor < 0) return errno;
  int const error = map(descriptor, size, first);
  ::close(descriptor);
  return error;
}

void remove(name const& n) noexcept {
  descriptor_of made;
  if (number_of(n) >= 0) return;  // the segment was removed when it was made
  if (is_descriptor(n, made))
    ::close(made.number);
  else
    ::shm_unlink(n.data());
}

// Unmaps a segment of either kind.
void unmap(std::byte* first, std::size_t size) noexcept { ::munmap(first, size); }

void wait(std::uint32_t const& word, std::uint32_t seen,
          std::chrono::milliseconds longest) noexcept {
  auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
  timespec time{};
  time.tv_sec = static_cast<decltype(time.tv_sec)>(seconds.count());
  time.tv_nsec =
      static_cast<decltype(time.tv_nsec)>(std::chrono::nanoseconds(longest - seconds).count());
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, longest.count() > 0 ? &time : nullptr, nullptr, 0);
}

void wake(std::uint32_t const& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace argosy::detail::node_segment
