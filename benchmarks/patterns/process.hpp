// Counters of this process in the system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace patterns {

// Returns the number behind `name` in a file of /proc, or -1 if there is none. Makes one call that
// reads.
inline std::int64_t proc_number(char const* path, char const* name) {
  int const d = ::open(path, O_RDONLY | O_CLOEXEC);
  if (d < 0) return -1;
  char text[4096];
  ssize_t const got = ::read(d, text, sizeof text - 1);
  ::close(d);
  if (got <= 0) return -1;
  text[got] = 0;
  char const* const found = std::strstr(text, name);
  return found ? std::strtoll(found + std::strlen(name), nullptr, 10) : -1;
}

// Returns the number of system calls that read or wrote so far. The system counts them, not the
// library that is measured. -1 if unknown.
inline std::int64_t file_calls() {
  std::int64_t const reads = proc_number("/proc/self/io", "syscr: "),
                     writes = proc_number("/proc/self/io", "syscw: ");
  return reads < 0 || writes < 0 ? -1 : reads + writes;
}
constexpr std::int64_t calls_of_counting = 2;  // file_calls() itself adds this to the next result

// Returns the largest resident memory since the last forget_peak(), with shared memory. -1 if
// unknown.
inline std::int64_t peak_rss_bytes() {
  std::int64_t const kib = proc_number("/proc/self/status", "VmHWM:");
  return kib < 0 ? -1 : kib * 1024;
}
inline void forget_peak() {
  int const d = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (d < 0) return;
  [[maybe_unused]] ssize_t const put = ::write(d, "5", 1);
  ::close(d);
}

}  // namespace patterns
