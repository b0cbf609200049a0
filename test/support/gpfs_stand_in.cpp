// Stands in for libgpfs.so. It records each call byte by byte, and returns the values that the test
// has set.
// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstring>

extern "C" {

struct stand_in_record {
  int fcntl_calls, fcntl_descriptor, fcntl_length;
  unsigned char fcntl_bytes[65536];
  int prealloc_calls, prealloc_descriptor;
  long long prealloc_start, prealloc_bytes;
  // values that the calls return
  int fcntl_errno, fcntl_error_offset, fcntl_accepted, prealloc_errno;
};
stand_in_record stand_in = {};

int gpfs_fcntl(int descriptor, void* argument) {
  auto* const bytes = static_cast<unsigned char*>(argument);
  ++stand_in.fcntl_calls;
  stand_in.fcntl_descriptor = descriptor;
  std::memcpy(&stand_in.fcntl_length, bytes, sizeof(int));
  std::memcpy(stand_in.fcntl_bytes, bytes, static_cast<unsigned>(stand_in.fcntl_length));
  if (stand_in.fcntl_errno != 0) {
    std::memcpy(bytes + 8, &stand_in.fcntl_error_offset, sizeof(int));
    errno = stand_in.fcntl_errno;
    return -1;
  }
  int type = 0;
  if (stand_in.fcntl_length >= 24) std::memcpy(&type, bytes + 20, sizeof type);
  if (type == 1003) std::memcpy(bytes + 24, &stand_in.fcntl_accepted, sizeof(int));
  return 0;
}

#ifndef ARGOSY_TEST_NO_PREALLOC
int gpfs_prealloc(int descriptor, long long start, long long bytes) {
  ++stand_in.prealloc_calls;
  stand_in.prealloc_descriptor = descriptor;
  stand_in.prealloc_start = start;
  stand_in.prealloc_bytes = bytes;
  errno = stand_in.prealloc_errno;
  return stand_in.prealloc_errno != 0 ? -1 : 0;
}
#endif
}
