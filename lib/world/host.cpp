// Implements world/detail/host.hpp: the name of the machine, its memory and its processors.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/detail/host.hpp>

#include <algorithm>

#include <sched.h>
#include <unistd.h>

namespace argosy::detail {

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::int64_t host_memory_bytes() noexcept {
  long const pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? std::int64_t{pages} * bytes : 0;
}

processor_set processor_set::of_this_process() {
  processor_set result;
  cpu_set_t mask;
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) {  // more processors than the mask has bits
    result.bits.fill(~std::uint64_t{0});
    return result;
  }
  for (std::size_t i = 0; i < result.bits.size() * 64 && i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &mask)) result.bits[i / 64] |= std::uint64_t{1} << (i % 64);
  return result;
}

}  // namespace argosy::detail
