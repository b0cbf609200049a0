// SPDX-License-Identifier: BSD-3-Clause
#include "implementation.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/layout.hpp>

namespace patterns {

void fail(std::string_view what) {
  std::fprintf(stderr, "bench_patterns: %.*s\n", static_cast<int>(what.size()), what.data());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

namespace {

class argosy_file final : public implementation {
 public:
  explicit argosy_file(argosy::hints h) : hints_(std::move(h)) {}
  std::string_view name() const override { return "argosy"; }
  void open(MPI_Comm comm, std::string const& path, pattern const& p, int rank) override {
    share const s = p.of(rank);
    memory_ = s.memory;
    file_ = argosy::file::open(argosy::mpi(comm), path, argosy::mode::read_write, hints_);
    file_.set_view(argosy::view(0, argosy::bytes(1), s.view));
  }
  void close() override { file_.close(); }
  void read(std::byte* memory) override { last_ = file_.read_at(0, argosy::buffer{memory, memory_}); }
  void write(std::byte const* memory) override { last_ = file_.write_at(0, argosy::const_buffer{memory, memory_}); }
  std::string last() const override { return to_string(last_); }

 private:
  argosy::hints hints_;
  argosy::layout memory_;
  argosy::file file_;
  argosy::report last_;
};

class mpi_file final : public implementation {
 public:
  std::string_view name() const override { return "mpi"; }
  void open(MPI_Comm comm, std::string const& path, pattern const& p, int rank) override {
    types_ = p.mpi_of(rank);
    require(MPI_File_open(comm, path.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file_));
    require(MPI_File_set_view(file_, 0, MPI_BYTE, types_.view, "native", MPI_INFO_NULL));
  }
  void close() override {
    require(MPI_File_close(&file_));
    types_.free();
  }
  void read(std::byte* memory) override {
    require(MPI_File_read_at(file_, 0, memory, types_.memory_count, types_.memory, MPI_STATUS_IGNORE));
  }
  void write(std::byte const* memory) override {
    require(MPI_File_write_at(file_, 0, memory, types_.memory_count, types_.memory, MPI_STATUS_IGNORE));
  }

 private:
  static void require(int result) {
    if (result != MPI_SUCCESS) fail("a call of MPI failed");
  }
  mpi_share types_;
  MPI_File file_ = MPI_FILE_NULL;
};

class posix_file final : public implementation {
 public:
  std::string_view name() const override { return "posix"; }
  void open(MPI_Comm comm, std::string const& path, pattern const& p, int rank) override {
    pieces_ = p.of(rank).pieces;
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor_ < 0) fail(path + ": " + std::strerror(errno));
    MPI_Barrier(comm);
  }
  void close() override { ::close(std::exchange(descriptor_, -1)); }
  void read(std::byte* memory) override {
    for (transfer const& t : pieces_)
      if (::pread(descriptor_, memory + t.memory_offset, static_cast<std::size_t>(t.bytes), t.file_offset) != t.bytes)
        fail("pread failed");
  }
  void write(std::byte const* memory) override {
    for (transfer const& t : pieces_)
      if (::pwrite(descriptor_, memory + t.memory_offset, static_cast<std::size_t>(t.bytes), t.file_offset) != t.bytes)
        fail("pwrite failed");
  }

 private:
  std::vector<transfer> pieces_;
  int descriptor_ = -1;
};

}  // namespace

std::unique_ptr<implementation> make_argosy(argosy::hints const& h) { return std::make_unique<argosy_file>(h); }
std::unique_ptr<implementation> make_mpi() { return std::make_unique<mpi_file>(); }
std::unique_ptr<implementation> make_posix() { return std::make_unique<posix_file>(); }

}  // namespace patterns
