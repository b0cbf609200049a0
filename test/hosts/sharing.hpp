// Ranks that share a file, and its expected content: blocks of all ranks in turn, the bytes that
// ranks wrote, and the content on the server.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

#include <argosy/argosy.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/shared_scratch.hpp"

namespace argosy::test::sharing {

using bytes = std::vector<std::uint8_t>;
inline constexpr std::int64_t block = 96;  // does not divide the page size
inline constexpr std::uint8_t nobodys = 0xee;

inline mpi const& world() {
  static mpi const all(MPI_COMM_WORLD);
  return all;
}

inline std::uint8_t value(std::int64_t round, int rank, std::int64_t at) {
  return static_cast<std::uint8_t>(1 + (round * 31 + rank * 13 + at) % 200);
}

// Blocks in turn: one of every rank, then one that no rank writes. `shift` deals them to other
// ranks.
struct turns {
  std::int64_t cycles = 0, shift = 0;
  std::int64_t parts() const { return world().size() + 1; }
  std::int64_t size() const { return cycles * parts() * block; }
  int place(int rank) const { return static_cast<int>((rank + shift) % world().size()); }
  layout view() const {
    return resized(contiguous(block, type<std::uint8_t>), 0, parts() * block).form();
  }
  std::int64_t displacement(int rank) const { return place(rank) * block; }
  bytes data(std::int64_t round, int rank) const {
    bytes mine(static_cast<std::size_t>(cycles * block));
    for (std::size_t i = 0; i < mine.size(); ++i)
      mine[i] = value(round, rank, static_cast<std::int64_t>(i));
    return mine;
  }
  void put(bytes& file, std::int64_t round, int rank) const {
    bytes const mine = data(round, rank);
    for (std::int64_t c = 0; c < cycles; ++c)
      std::copy_n(mine.begin() + c * block, block,
                  file.begin() + static_cast<std::ptrdiff_t>((c * parts() + place(rank)) * block));
  }
  void put_all(bytes& file, std::int64_t round) const {
    for (int r = 0; r < world().size(); ++r) put(file, round, r);
  }
};

inline std::int64_t different(bytes const& got, bytes const& wanted) {
  std::int64_t n = got.size() == wanted.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) n += got[i] != wanted[i];
  return n;
}

// Makes a file on rank 0 with plain calls. It is on the server before any rank opens it.
inline void make(std::string const& path, bytes const& content) {
  if (world().rank() == 0) {
    int const d = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666);
    std::size_t done = 0;
    while (d >= 0 && done < content.size()) {
      ssize_t const n =
          ::pwrite(d, content.data() + done, content.size() - done, static_cast<off_t>(done));
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    CHECK(done == content.size());
    CHECK(::fsync(d) == 0);
    ::close(d);
  }
  world().barrier();
}

// Returns the content, read by every rank with plain calls and a descriptor of its own. Cached
// pages and sizes are dropped first, because some hosts keep them beyond a close.
inline bytes plainly(std::string const& path, std::size_t most) {
  bytes all(most + 1);
  int const d = ::open(path.c_str(), O_RDONLY);
  if (d >= 0) look_at_server(d);
  std::size_t done = 0;
  for (ssize_t n = 1; d >= 0 && n > 0; done += static_cast<std::size_t>(std::max<ssize_t>(n, 0)))
    n = ::pread(d, all.data() + done, all.size() - done, static_cast<off_t>(done));
  if (d >= 0) ::close(d);
  all.resize(done);
  return all;
}

}  // namespace argosy::test::sharing
