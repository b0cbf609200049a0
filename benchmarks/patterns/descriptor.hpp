// A file that all ranks have opened by POSIX.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "implementation.hpp"

namespace patterns {

class descriptor {
 public:
  // Collective. One rank makes the file. If several hosts make it at a time, some file systems
  // notice only later that it is one file.
  void open(setting const& s) {
    comm_ = s.comm;
    if (rank_in(s.comm) == 0) get(s, s.creates ? O_CREAT : 0);
    MPI_Barrier(s.comm);
    if (rank_in(s.comm) != 0) get(s, 0);
    MPI_Barrier(s.comm);
  }
  void close() { ::close(std::exchange(number_, -1)); }
  void sync() const {
    if (::fsync(number_) != 0) fail("fsync failed");
    MPI_Barrier(comm_);
    ::posix_fadvise(number_, 0, 0, POSIX_FADV_DONTNEED);
  }
  void read(std::byte* memory, std::int64_t bytes, std::int64_t offset) const {
    if (::pread(number_, memory, static_cast<std::size_t>(bytes), offset) != bytes)
      fail("pread failed");
  }
  void write(std::byte const* memory, std::int64_t bytes, std::int64_t offset) const {
    if (::pwrite(number_, memory, static_cast<std::size_t>(bytes), offset) != bytes)
      fail("pwrite failed");
  }
  MPI_Comm comm() const { return comm_; }

 private:
  void get(setting const& s, int flags) {
    // A client of a network file system may still know an older file of this name.
    for (int tries = 0; tries < 20; ++tries) {
      number_ = ::open(s.path.c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
      if (number_ >= 0 || errno != ESTALE) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (number_ < 0) fail(s.path + ": " + std::strerror(errno));
  }
  MPI_Comm comm_ = MPI_COMM_NULL;
  int number_ = -1;
};

}  // namespace patterns
