// Implements handle/detail/permissions.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/permissions.hpp>

#include <sys/stat.h>

#include <argosy/handle/posix.hpp>

namespace argosy::detail {

std::optional<unsigned> permissions_of(any_handle& file) {
  struct stat found = {};
  auto* const p = file.target<posix>();
  if (!p || ::fstat(p->inner().descriptor(), &found) != 0) return {};
  return found.st_mode & 0777u;
}

void permit(any_handle& file, unsigned permissions) {
  if (auto* const p = file.target<posix>()) {
    int const kept = ::fchmod(p->inner().descriptor(), permissions);
    (void)kept;
  }
}

}  // namespace argosy::detail
