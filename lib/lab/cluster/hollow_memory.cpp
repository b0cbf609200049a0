// Implements lab/cluster/hollow_memory.hpp: maps one file in memory many times.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/hollow_memory.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

namespace argosy::lab {

namespace {

constexpr std::size_t unit = std::size_t{1} << 20;

[[noreturn]] void refuse(char const* what) {
  throw std::system_error(errno, std::system_category(),
                          std::string("argosy::lab::hollow_memory: ") + what);
}

struct open_file {
  int fd;
  ~open_file() { ::close(fd); }
};

}  // namespace

void hollow_memory::unmap::operator()(std::byte* at) const noexcept { ::munmap(at, mapped); }

// Reserves all addresses first, so that no other mapping can take a part of them.
hollow_memory::hollow_memory(std::size_t bytes) : size_(bytes) {
  std::size_t const mapped = std::max<std::size_t>(1, (bytes + unit - 1) / unit) * unit;
  open_file const file{::memfd_create("argosy hollow memory", MFD_CLOEXEC)};
  if (file.fd < 0 || ::ftruncate(file.fd, unit) != 0) refuse("a file in memory");
  void* const at =
      ::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) refuse("addresses");
  at_ = {static_cast<std::byte*>(at), unmap{mapped}};
  for (std::size_t offset = 0; offset < mapped; offset += unit)
    if (::mmap(at_.get() + offset, unit, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.fd,
               0) == MAP_FAILED)
      refuse("a mapping");
}

}  // namespace argosy::lab
