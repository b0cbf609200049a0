// Breaks real system calls: between the program and libc, for files whose path contains a given
// text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Link argosy_fault_shim, and call these; or preload it into any program:
//
//   LD_PRELOAD=libargosy_fault_shim.so ARGOSY_FAULT_PATH=state.dat ARGOSY_FAULTS='write@3=EIO'
//   ARGOSY_FAULT_RANKS=0,2 ...
//
// Faults are separated by ';', each is CALL@K[xN|+]=ACTION: from the K-th call (from 1) on, once, N
// times or for ever.
//   CALL    open close read write fsync ftruncate fallocate lock unlock fstat fstatfs
//           (read: pread, preadv; fsync: fdatasync, too; lock, unlock: fcntl)
//   ACTION  an errno name or number: the call is not made (close is, and then says so)
//           short:N   at most N bytes
//           torn:N    N bytes are moved, the next call of the kind fails with EIO; torn:N:ENOSPC by
//                     another error
//           late:MS   after so many milliseconds; late:500us
//           full:N    of writes and fallocate: no space at or beyond byte N of a file
//           type:HEX  of fstatfs: the file system says that it is of this type; 6969 is NFS
// ARGOSY_FAULT_RANKS compares with OMPI_COMM_WORLD_RANK, PMIX_RANK or PMI_RANK; without it, every
// process. Calls come from any threads; faults are set while nobody makes any.
extern "C" {
// Replaces the faults and starts counting anew; null or "" for none. -1 if a fault cannot be read.
int argosy_faults(char const* path_part, char const* faults);
// Calls of a kind since then, on the path.
long argosy_fault_calls(char const* call);
// Calls that a fault struck.
long argosy_faults_struck();
}
