// The mount of a device. It names the file system behind FUSE, which statfs does not report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

#include <sys/types.h>

namespace argosy::detail {

// Type and source of a mount. Empty if not known.
struct mounted {
  std::string type, source;
  friend bool operator==(mounted const&, mounted const&) = default;
};

// Finds the mount of a device. `lines` are those of /proc/self/mountinfo.
mounted mounted_as(std::istream& lines, dev_t device);
mounted mounted_as(dev_t device);

}  // namespace argosy::detail
