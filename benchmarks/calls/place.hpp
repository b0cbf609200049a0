// The file of a row of bench_calls, and how a row is registered.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include <argosy/argosy.hpp>

#include "cost.hpp"

namespace calls {

namespace io = argosy;

void note_wrong_bytes(std::string const& row);

// The file of one row, opened in three ways, and this rank's bytes. Blocks of ranks are disjoint.
class place {
 public:
  place(MPI_Comm comm, setting const& how, std::string const& row, std::int64_t bytes,
        io::mode more)
      : comm_(comm), bytes_(bytes), data_(static_cast<std::size_t>(bytes)) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    int world_rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    path_ = how.directory + "/bench_calls." + std::to_string(world_rank - rank_);
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::byte>(i * 7 + 1);
    if (rank_ == 0) {
      ::unlink(path_.c_str());
      int const made = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      std::vector<std::byte> const all(static_cast<std::size_t>(span() * ranks_), std::byte{0x11});
      if (made < 0 || ::pwrite(made, all.data(), all.size(), 0) != static_cast<ssize_t>(all.size()))
        note_wrong_bytes(row + ": " + path_ + " cannot be made");
      ::close(made);
    }
    MPI_Barrier(comm);
    descriptor = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    MPI_File_open(comm, path_.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &mpi);
    argosy = io::file::open(io::mpi(comm), path_, io::mode::read_write | more);
  }
  place(place const&) = delete;
  place& operator=(place const&) = delete;
  ~place() {
    MPI_Barrier(comm_);
    ::close(descriptor);
    MPI_File_close(&mpi);
    argosy.close();
    MPI_Barrier(comm_);
    if (rank_ == 0) ::unlink(path_.c_str());
  }

  // Returns the bytes of each rank in the file, with space for pieces and the gaps between them.
  std::int64_t span() const { return 2 * bytes_; }
  std::int64_t offset() const { return rank_ * span(); }
  std::int64_t bytes() const { return bytes_; }
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  std::string const& path() const { return path_; }
  std::byte* memory() { return data_.data(); }
  std::span<std::byte> data() { return data_; }

  int descriptor = -1;
  MPI_File mpi = MPI_FILE_NULL;
  io::file argosy;

 private:
  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 1;
  std::int64_t bytes_;
  std::vector<std::byte> data_;
  std::string path_;
};

using maker = entry (*)(place&);

struct row {
  char const* name;
  maker make;
  io::mode more = io::mode::none;
};

// Registers a row; `self`: each rank has a file of its own.
void enter(row const& r, std::int64_t bytes, std::int64_t calls, bool self, setting const& how);

// Registers the rows of data in several pieces.
void enter_pieces(setting const& how);

}  // namespace calls
