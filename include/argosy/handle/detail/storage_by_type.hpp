// The storage of files by the type that statfs reports, and behind FUSE by the mount.
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

// Returns the storage for a type. The numbers are those of statfs(2) and of the file systems' own
// headers. Of the parallel file systems only GPFS has prices of its own: the others have not been
// measured, and like GPFS they have locks that move between nodes. Of the disks only ext4 has been
// measured.
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
    case fuse_type:   // a process answers, whatever file system it is
    case 0x19830326:  // BeeGFS
    case 0x20030528:  // OrangeFS
      return storage::network();
    case 0x00c36400:    // Ceph
    case 0x0bd00bd0: {  // Lustre
      storage told = storage::network();
      told.separate_caches = false;  // nodes inform each other, by locks of their own
      return told;
    }
    case 0xef53:        // ext2, ext3, ext4
    case 0x58465342:    // XFS
    case 0x9123683e:    // Btrfs
    case 0x794c7630: {  // overlays, as containers have them
      storage disk;
      disk.exchange.crowd_call_ns = 15e3;
      return disk;
    }
    default:
      return {};
  }
}

// Returns true if no other node reaches the files.
inline bool is_local(storage const& s) { return s.name == storage().name; }

// Returns the storage for a mount of FUSE. GlusterFS, MooseFS and CephFS write exactly the bytes
// that they were asked to write. FUSE passes writes on at once, unless a file system asks for
// write-back. These do so only by an option of their mounts, which cannot be seen here. Their own
// caches have bounds in bytes.
inline storage storage_behind_fuse(mounted const& m) {
  constexpr std::array<std::string_view, 3> others = {"fuse.glusterfs", "fuse.ceph",
                                                      "fuse.ceph-fuse"};
  // MooseFS names its master, after a # that the kernel may have written as a number.
  bool const names_master = m.source.starts_with("mfs#") || m.source.starts_with("mfs\\043");
  bool const moose = m.type.starts_with("fuse.mfs") || (m.type == "fuse" && names_master);
  storage told = storage_by_type(fuse_type);
  told.exact_writes = moose || std::ranges::find(others, m.type) != others.end();
  // The master of MooseFS informs clients of changes, and does not wait for them.
  told.reads_late = moose;
  return told;
}

// Returns true if the client of a mount keeps bytes in its own process, and returns stale ones
// under a lock, after the kernel's pages were dropped. Reads with O_DIRECT pass that cache.
inline bool keeps_reads(mounted const& m) {
  return m.type == "fuse.ceph" || m.type == "fuse.ceph-fuse";
}

}  // namespace argosy::detail
