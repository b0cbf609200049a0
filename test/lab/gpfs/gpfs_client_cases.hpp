// Shared by tests of one client node: some nodes with one file, and a disk that can fail.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/catch.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

#include "support/gpfs_hints.hpp"

namespace argosy::test {

using namespace extend;

namespace gpfs = argosy::lab::gpfs;

constexpr int B = 1024;

inline gpfs::machine small() {
  gpfs::machine m;
  m.block_bytes = B;
  m.pagepool_bytes = 64 * B;
  m.servers = 2;
  return m;
}

// A store with blocks that cannot be read or written.
class failing_store final : public gpfs::detail::block_store {
 public:
  bool has(gpfs::detail::file_id f, std::int64_t b) override { return inner_.has(f, b); }
  int read(gpfs::detail::file_id f, std::int64_t b, std::span<std::byte> to) override {
    return unreadable.contains(b) ? EIO : inner_.read(f, b, to);
  }
  int write(gpfs::detail::file_id f, std::int64_t b, std::int64_t at,
            std::span<std::byte const> from) override {
    return unwritable.contains(b) ? ENOSPC : inner_.write(f, b, at, from);
  }
  int cut(gpfs::detail::file_id f, std::int64_t bytes) override { return inner_.cut(f, bytes); }
  std::set<std::int64_t> unreadable, unwritable;

 private:
  gpfs::detail::memory_store inner_{B};
};

struct cluster {
  explicit cluster(int nodes, gpfs::machine const& m = small())
      : store(std::make_shared<failing_store>()), host(m, nodes, {}, {store, store}) {
    for (int n = 0; n < nodes; ++n) files.push_back(open(n));
  }
  gpfs::loopback_file open(int node) {
    std::error_code error;
    auto f = gpfs::loopback_file::open(host, node, "f",
                                       {.read = true, .write = true, .create = true}, error);
    REQUIRE(!error);
    return f;
  }
  std::error_code write(std::size_t file, std::int64_t offset, std::size_t length, int value = 7) {
    return files[file]
        .write(offset, std::vector<std::byte>(length, static_cast<std::byte>(value)))
        .error;
  }
  io_result read(std::size_t file, std::int64_t offset, std::size_t length) {
    data.assign(length, std::byte{});
    return files[file].read(offset, data);
  }
  // Writes blocks to disk, and leaves no cached pages and no tokens.
  void prepare(int blocks) {
    REQUIRE(!write(0, 0, static_cast<std::size_t>(blocks) * B));
    auto all = test::free_range(0, 0);
    REQUIRE(!files[0].fcntl(all));
    files[0] = reopened(0);
    base = count(0);
  }
  gpfs::loopback_file reopened(std::size_t file) {
    int const node = files[file].node();
    REQUIRE(!files[file].close());
    return open(node);
  }
  gpfs::client_counters const& count(int node) { return host.client(node).counters(); }

  std::shared_ptr<failing_store> store;
  gpfs::loopback host;
  std::vector<gpfs::loopback_file> files;
  std::vector<std::byte> data;
  gpfs::client_counters base;
};

}  // namespace argosy::test
