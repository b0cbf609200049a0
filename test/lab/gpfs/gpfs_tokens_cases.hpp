// Shared by tests of tokens: a small machine, and nodes with one file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <system_error>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

namespace argosy::test {

namespace gpfs = argosy::lab::gpfs;

constexpr std::int64_t B = 1024;

inline gpfs::machine small() {
  gpfs::machine m;
  m.block_bytes = B;
  m.pagepool_bytes = 64 * B;
  m.servers = 2;
  return m;
}

// Nodes with one open instance of the same file each.
struct cluster {
  explicit cluster(int nodes, gpfs::machine const& m = small()) : host(m, nodes) {
    std::error_code error;
    for (int n = 0; n < nodes; ++n) {
      files.push_back(gpfs::loopback_file::open(
          host, n, "f", {.read = true, .write = true, .create = true}, error));
      REQUIRE(!error);
    }
  }
  void write(std::size_t node, std::int64_t offset, std::int64_t length) {
    std::vector<std::byte> const data(static_cast<std::size_t>(length), std::byte{7});
    REQUIRE(files[node].write(offset, data).bytes == length);
  }
  std::int64_t read(std::size_t node, std::int64_t offset, std::int64_t length) {
    std::vector<std::byte> data(static_cast<std::size_t>(length));
    return files[node].read(offset, data).bytes;
  }
  gpfs::client_counters const& count(int node) { return host.client(node).counters(); }
  gpfs::detail::token_mode token(int node, std::int64_t block) {
    gpfs::detail::token_mode const held = host.client(node).token(0, block);
    // the manager may only believe that a node holds more
    CHECK(held <= host.manager().mode_of(0, node, block));
    return held;
  }

  gpfs::loopback host;
  std::vector<gpfs::loopback_file> files;
};

}  // namespace argosy::test
