// As what a device is mounted: which file system it is that answers behind FUSE, statfs does not
// tell.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

#include <sys/types.h>

namespace argosy::detail {

// Empty: not known.
struct mounted {
  std::string type, source;
  friend bool operator==(mounted const&, mounted const&) = default;
};

// `lines` are those of /proc/self/mountinfo.
mounted mounted_as(std::istream& lines, dev_t device);
mounted mounted_as(dev_t device);

}  // namespace argosy::detail
