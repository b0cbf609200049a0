// What files lie on, by the type that statfs gives their file system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/policy/storage.hpp>

namespace argosy::detail {

// Numbers are those of statfs(2) and of the file systems' own headers. Of parallel file systems only GPFS has prices of its own:
// nobody has measured the others, and what they have in common with it are locks that travel.
inline storage storage_by_type(std::uint32_t type) {
  switch (type) {
    case 0x47504653:  // GPFS
      return storage::gpfs();
    case 0x6969:      // NFS
    case 0xff534d42:  // CIFS
    case 0xfe534d42:  // SMB2
    case 0x517b:      // SMB
    case 0x5346414f:  // AFS
    case 0x6b414653:  // kAFS
    case 0x01021997:  // 9P
    case 0x65735546:  // FUSE: whatever is behind it, a process answers
    case 0x19830326:  // BeeGFS
    case 0x20030528:  // OrangeFS
      return storage::network();
    case 0x00c36400:    // Ceph
    case 0x0bd00bd0: {  // Lustre
      storage told = storage::network();
      told.separate_caches = false;  // nodes tell each other, by locks of their own
      return told;
    }
    default:
      return {};
  }
}

}  // namespace argosy::detail
