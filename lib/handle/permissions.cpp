// Implements handle/detail/permissions.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/permissions.hpp>

#include <sys/stat.h>

#include <argosy/handle/gpfs_real.hpp>
#include <argosy/handle/posix.hpp>

namespace argosy::detail {

namespace {

// Returns the descriptor of a file of the operating system, or -1 for other handles.
int descriptor_of(any_handle& file) {
  posix* p = file.target<posix>();
  if (!p) p = file.target<gpfs_real>();
  return p ? p->inner().descriptor() : -1;
}

}  // namespace

std::optional<unsigned> permissions_of(any_handle& file) {
  struct stat found = {};
  int const descriptor = descriptor_of(file);
  if (descriptor < 0 || ::fstat(descriptor, &found) != 0) return {};
  return found.st_mode & 0777u;
}

void permit(any_handle& file, unsigned permissions) {
  int const descriptor = descriptor_of(file);
  if (descriptor < 0) return;
  int const kept = ::fchmod(descriptor, permissions);
  (void)kept;
}

}  // namespace argosy::detail
