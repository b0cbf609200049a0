// Shared by tests of the machine's mechanisms: a machine, and the time of a program on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/catch.hpp"

#include <cstdint>
#include <functional>
#include <system_error>

#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

namespace argosy::test {

namespace gpfs = argosy::lab::gpfs;

constexpr std::int64_t KiB = 1024, MiB = 1024 * KiB;

// Two servers with twelve disks each, as a machine of 2001 had. Each case adds its own mechanism.
inline gpfs::machine testbed() {
  gpfs::machine m;
  m.block_bytes = 512 * KiB;
  m.servers = 2;
  m.disks_per_server = 12;
  m.copy_mb_per_s = 600;
  m.client_write_mb_per_s = 180;
  m.client_read_mb_per_s = 310;
  m.pagepool_bytes = 100 * MiB;
  m.nic_mb_per_s = 350;
  m.server_mb_per_s = 290;
  m.disk_mb_per_s = 350;
  return m;
}

inline lab::virtual_gpfs_handle opened(lab::virtual_gpfs const& files, char const* path = "f") {
  std::error_code error;
  auto f = files.open(path, {.read = true, .write = true, .create = true}, error);
  REQUIRE_FALSE(error);
  return f;
}

// Returns the virtual seconds of `ranks` ranks, one on each node.
inline double seconds_of(lab::virtual_gpfs const& files, int ranks,
                         std::function<void(lab::virtual_rank const&)> const& program) {
  static_cast<void>(files);
  return lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 1},
                              {.contents = lab::contents::none})
      .run(program)
      .seconds;
}

}  // namespace argosy::test
