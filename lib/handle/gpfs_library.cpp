// Implements gpfs_library of handle/gpfs_real.hpp: loads libgpfs.so and calls it.
// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <memory>
#include <string>

#include <argosy/handle/gpfs_real.hpp>

#include "load_library.hpp"

namespace argosy {

namespace {

// Returns the error of a call of the library, which returns 0, or -1 and errno.
int outcome(int returned) {
  if (returned == 0) return 0;
  return errno != 0 ? errno : EIO;
}

}  // namespace

std::shared_ptr<detail::gpfs_library const> detail::gpfs_library::load(std::string const& name,
                                                                       std::string& why_not) {
  static constexpr detail::library_search where{"GPFS", "ARGOSY_GPFS_LIBRARY", "libgpfs.so"};
  return detail::load_library<detail::gpfs_library>(
      where, name, why_not, [](detail::gpfs_library& made, detail::symbols const& in) {
        in.find("gpfs_prealloc", made.prealloc_);  // may be missing
        return in.find("gpfs_fcntl", made.fcntl_)
                   ? ""
                   : "has no gpfs_fcntl: it is not the library of GPFS";
      });
}

int detail::gpfs_library::fcntl(int descriptor, void* argument) const {
  errno = 0;
  return outcome(fcntl_(descriptor, argument));
}

int detail::gpfs_library::prealloc(int descriptor, long long start, long long bytes) const {
  if (prealloc_ == nullptr) return ENOSYS;
  errno = 0;
  return outcome(prealloc_(descriptor, start, bytes));
}

}  // namespace argosy
