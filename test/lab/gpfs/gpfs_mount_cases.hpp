// Shared by tests of mounts: a host, and nodes that have one file open.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/lab/gpfs/host.hpp>
#include <argosy/lab/gpfs/mount.hpp>

#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/files.hpp"

namespace argosy::test {

using namespace extend;

namespace gpfs = argosy::lab::gpfs;

constexpr std::int64_t B = 1024;

inline gpfs::machine small() {
  gpfs::machine m;
  m.block_bytes = B;
  m.servers = 2;
  m.disks_per_server = 2;
  m.pagepool_bytes = 64 * B;
  m.lease_s = 0.1;
  return m;
}

inline std::vector<std::byte> filled(std::size_t n, int value) {
  return std::vector<std::byte>(n, static_cast<std::byte>(value));
}

// A host and some nodes, all with the file open.
struct cluster {
  explicit cluster(int nodes, gpfs::machine const& m = small()) {
    gpfs::host_options o;
    o.hardware = m;
    o.directory = dir.string();
    o.network = false;
    host = std::make_unique<gpfs::host>(o, error);
    REQUIRE_FALSE(error);
    for (int n = 0; n < nodes; ++n) {
      mounts.push_back(gpfs::mount::to(host->address(), n, error));
      REQUIRE_FALSE(error);
      files.push_back(open(n));
      REQUIRE_FALSE(error);
    }
  }
  gpfs::mounted_file open(int node, std::string const& name = "f") {
    return gpfs::mounted_file::open(mounts.at(static_cast<std::size_t>(node)), name,
                                    {.read = true, .write = true, .create = true}, error);
  }
  gpfs::client_counters count(int n) const {
    return mounts[static_cast<std::size_t>(n)].counters();
  }
  void write(int n, std::int64_t offset, std::int64_t length, int value = 7) {
    auto const r = files[static_cast<std::size_t>(n)].write(
        offset, filled(static_cast<std::size_t>(length), value));
    REQUIRE_FALSE(r.error);
    REQUIRE(r.bytes == length);
  }
  std::vector<std::byte> read(int n, std::int64_t offset, std::int64_t length) {
    std::vector<std::byte> all(static_cast<std::size_t>(length));
    auto const r = files[static_cast<std::size_t>(n)].read(offset, all);
    REQUIRE_FALSE(r.error);
    all.resize(static_cast<std::size_t>(r.bytes));
    return all;
  }

  scratch const dir;
  std::error_code error;
  std::unique_ptr<gpfs::host> host;
  std::vector<gpfs::mount> mounts;
  std::vector<gpfs::mounted_file> files;
};

}  // namespace argosy::test
