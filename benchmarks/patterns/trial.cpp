// SPDX-License-Identifier: BSD-3-Clause
#include "trial.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <string>

#include "implementation.hpp"

namespace patterns {
namespace {

// Page-aligned, so that the place of memory does not depend on the implementation.
constexpr std::align_val_t page{4096};
constexpr std::int64_t chunk = 1 << 20;

std::byte content(int rank, std::int64_t offset, int salt) {
  return salt == 0
             ? static_cast<std::byte>((offset * 2654435761) >> 13)
             : static_cast<std::byte>(((offset + rank * 77 + salt * 1237) * 2246822519) >> 11);
}

// Makes the next read ask the server. This host may have cached pages, and the size, of an earlier
// read, also beyond a close (docs/use/file_systems.md).
void look_at_server(int descriptor) {
  struct ::statx about{};
  ::fdatasync(descriptor);
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  if (::statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE, &about) != 0)
    fail("statx failed");
}

// The file of rank 0 while there is one. A run that is ended, by hand or because its output is not
// read, removes it and leaves nothing in memory.
std::array<char, 4096> kept_path = {};
void end_run(int signal) {
  if (kept_path[0] != 0) ::unlink(kept_path.data());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}
void remove_at_signals(std::string const& path) {
  if (path.size() >= kept_path.size()) return;
  kept_path[path.copy(kept_path.data(), kept_path.size() - 1)] = 0;
  for (int const signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) std::signal(signal, end_run);
}

}  // namespace

trial::trial(MPI_Comm comm, pattern const& p, std::string const& directory)
    : comm_(comm), pattern_(p), rank_(rank_in(comm)) {
  long process = ::getpid();  // the process of one rank
  MPI_Bcast(&process, 1, MPI_LONG, 0, comm_);
  base_ = directory + "/bench_patterns." + std::to_string(process);
  take_next_name();
  share const mine = p.of(rank_);
  bytes_ = mine.bytes;
  memory_bytes_ = mine.memory_bytes;
  MPI_Allreduce(&bytes_, &all_bytes_, 1, MPI_INT64_T, MPI_SUM, comm_);
  memory_ = static_cast<std::byte*>(::operator new(static_cast<std::size_t>(memory_bytes_), page));
  spoil();
}
trial::~trial() {
  if (rank_ == 0) ::unlink(path_.c_str());  // which is there after an error
  ::operator delete(memory_, page);
}

void trial::fill(int salt) const {
  spoil();
  pattern_.walk(rank_, [&](transfer const& t) {
    for (std::int64_t k = 0; k < t.bytes; ++k)
      memory_[t.memory_offset + k] = content(rank_, t.file_offset + k, salt);
  });
}

bool trial::memory_holds(int salt, bool all) const {
  std::vector<std::byte> hoped(static_cast<std::size_t>(memory_bytes_), nobody);
  pattern_.walk(rank_, [&](transfer const& t) {
    for (std::int64_t k = 0; k < t.bytes; ++k)
      hoped[static_cast<std::size_t>(t.memory_offset + k)] =
          content(rank_, t.file_offset + k, salt);
  });
  return std::equal(memory_, memory_ + (all ? memory_bytes_ : bytes_), hoped.begin());
}

std::vector<std::byte> trial::file_image(std::int64_t from, std::int64_t to, int salt) const {
  std::vector<std::byte> image(static_cast<std::size_t>(to - from));
  for (std::int64_t x = from; x < to; ++x)
    image[static_cast<std::size_t>(x - from)] = content(0, x, 0);
  if (salt == 0) return image;
  for (int r = 0; r < pattern_.ranks(); ++r)
    pattern_.walk(r, [&](transfer const& t) {
      for (std::int64_t x = std::max(from, t.file_offset);
           x < std::min(to, t.file_offset + t.bytes); ++x)
        image[static_cast<std::size_t>(x - from)] = content(r, x, salt);
    });
  return image;
}

void trial::make_file() const {
  if (rank_ == 0) {
    int const d = ::open(path_.c_str(), O_RDWR | O_CREAT, 0600);
    if (d < 0) fail(path_ + ": " + std::strerror(errno));
    for (std::int64_t at = 0; at < pattern_.file_bytes(); at += chunk) {
      auto const image = file_image(at, std::min(at + chunk, pattern_.file_bytes()), 0);
      if (::pwrite(d, image.data(), image.size(), at) != static_cast<ssize_t>(image.size()))
        fail(path_ + ": " + std::strerror(errno));
    }
    ::close(d);
  }
  MPI_Barrier(comm_);
}

void trial::take_next_name() {
  path_ = base_ + "." + std::to_string(++number_);
  if (rank_ == 0) remove_at_signals(path_);
}

void trial::remove_file() {
  MPI_Barrier(comm_);
  if (rank_ == 0) ::unlink(path_.c_str());
  take_next_name();
  MPI_Barrier(comm_);
}

bool trial::file_holds(int salt) const {
  MPI_Barrier(comm_);
  std::int64_t const size = pattern_.file_bytes(), ranks = pattern_.ranks();
  std::int64_t const from = size / ranks * rank_,
                     to = rank_ + 1 == ranks ? size : size / ranks * (rank_ + 1);
  auto const hoped = file_image(from, to, salt);
  // The last rank reads one byte more, which must not exist.
  std::vector<std::byte> found(hoped.size() + (rank_ + 1 == ranks ? 1 : 0));
  int const d = ::open(path_.c_str(), O_RDONLY);
  if (d >= 0) look_at_server(d);
  std::size_t got = 0;
  for (ssize_t n = 1; d >= 0 && n > 0 && got < found.size();
       got += static_cast<std::size_t>(std::max<ssize_t>(n, 0)))
    n = ::pread(d, found.data() + got, found.size() - got, from + static_cast<std::int64_t>(got));
  if (d >= 0) ::close(d);
  found.resize(got);
  int good = hoped == found ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm_);
  return good != 0;
}

}  // namespace patterns
