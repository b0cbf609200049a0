// What files lie on, by the type that statfs gives their file system, and behind FUSE by what it is
// mounted as.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <argosy/handle/detail/mounts.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy::detail {

inline constexpr std::uint32_t fuse_type = 0x65735546;

// Numbers are those of statfs(2) and of the file systems' own headers. Of parallel file systems
// only GPFS has prices of its own: nobody has measured the others, and what they have in common
// with it are locks that travel.
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
    case fuse_type:   // whatever is behind it, a process answers
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

// GlusterFS, MooseFS and CephFS write the bytes that they were asked to, and no others: FUSE passes
// them on as they come, unless a file system asks it to write later, which these do by an option of
// their mounts only, that cannot be seen here; and what they keep themselves has ends in bytes.
inline storage storage_behind_fuse(mounted const& m) {
  constexpr std::array<std::string_view, 3> others = {"fuse.glusterfs", "fuse.ceph",
                                                      "fuse.ceph-fuse"};
  // MooseFS names its master, after a # that the kernel may have written as a number.
  bool const names_master = m.source.starts_with("mfs#") || m.source.starts_with("mfs\\043");
  bool const moose = m.type.starts_with("fuse.mfs") || (m.type == "fuse" && names_master);
  storage told = storage_by_type(fuse_type);
  told.exact_writes = moose || std::ranges::find(others, m.type) != others.end();
  // its master tells clients of changes, and does not wait until they know
  told.reads_late = moose;
  return told;
}

}  // namespace argosy::detail
