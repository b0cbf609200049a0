// Breaks system calls between the program and libc, for files whose path contains a given text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Either link argosy_fault_shim and call these functions, or preload it into any program:
//
//   LD_PRELOAD=libargosy_fault_shim.so ARGOSY_FAULT_PATH=state.dat ARGOSY_FAULTS='write@3=EIO'
//   ARGOSY_FAULT_RANKS=0,2 ...
//
// Faults are separated by ';'. Each is CALL@K[xN|+]=ACTION: it begins at the K-th call (counted
// from 1) and strikes once, N times or for ever.
//   CALL    open close read write fsync ftruncate fallocate lock unlock fstat fstatfs
//           sync_file_range
//           (read includes pread and preadv; fsync includes fdatasync; lock and unlock are fcntl)
//   ACTION  an errno name or number: the call is not made (close is made, and then reports it)
//           short:N   at most N bytes are moved
//           torn:N    N bytes are moved, the next call of the kind fails with EIO;
//                     torn:N:ENOSPC fails with another error
//           late:MS   the call is made after MS milliseconds; late:500us
//           full:N    for write and fallocate: no space at or beyond byte N of a file
//           type:HEX  for fstatfs: the file system reports this type; 6969 is NFS
// ARGOSY_FAULT_RANKS is compared with OMPI_COMM_WORLD_RANK, PMIX_RANK or PMI_RANK. Without it, the
// faults strike in every process. Any thread may make calls, but faults may be set only while no
// thread makes one.
extern "C" {
// Replaces the faults and starts counting anew; null or "" removes all. Returns -1 if a fault
// cannot be parsed.
int argosy_faults(char const* path_part, char const* faults);
// Returns the number of calls of a kind on the path since argosy_faults().
long argosy_fault_calls(char const* call);
// Returns the number of calls that a fault struck.
long argosy_faults_struck();
// The last call of sync_file_range, on any file.
struct argosy_range {
  long offset, bytes;
  unsigned flags;
};
argosy_range argosy_last_range();
}
