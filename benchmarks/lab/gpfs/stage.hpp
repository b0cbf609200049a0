// A simulated GPFS under virtual ranks, and the measurements of a run on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access.hpp>

#include "options.hpp"

namespace shapes {

// Sums over all ranks.
struct measured {
  double seconds = 0;
  std::int64_t messages = 0, revocations = 0, file_calls = 0;
};

class stage;

// One rank of a run: its world, and a clock that all ranks start and stop together.
class player {
 public:
  player(argosy::lab::virtual_rank const& world, stage& where) : world_(world), stage_(where) {}

  argosy::lab::virtual_rank const& world() const { return world_; }
  int rank() const { return world_.rank(); }
  stage& where() const { return stage_; }
  // Starts the clock. Collective. Before that, drops the cache and the tokens of the file on all
  // nodes.
  void start();
  // Stops the clock. Collective. Adds the messages between ranks in this rank's report.
  void stop(argosy::report const& r = {});

 private:
  argosy::lab::virtual_rank const& world_;
  stage& stage_;
  double began_ = 0;
};

class stage {
 public:
  stage(options const& o, int ranks, argosy::lab::gpfs::machine const& m);

  int ranks() const { return ranks_; }
  std::int64_t block_bytes() const { return files.system().hardware().block_bytes; }
  // Runs once; `program` starts and stops the clock once. Throws the exceptions of the program.
  measured run(std::function<void(player&)> const& program);

  argosy::lab::virtual_gpfs files;
  static constexpr char const* path = "state";

 private:
  friend class player;
  int ranks_;
  argosy::lab::virtual_cluster cluster_;
  measured now_;
  measured counted() const;
};

// Returns the byte of the file at this offset, different for each salt. It is written, and expected
// when reading.
inline std::byte byte_at(std::int64_t offset, std::uint64_t salt) {
  return static_cast<std::byte>(
      ((static_cast<std::uint64_t>(offset) + 1) * 0x9e3779b97f4a7c15u ^ salt * 0x2545f491u) >> 40);
}
void fill(std::span<std::byte> bytes, std::int64_t offset, std::uint64_t salt);
// Throws if the bytes differ from the expected ones.
void require(std::span<std::byte const> bytes, std::int64_t offset, std::uint64_t salt);
void require(std::error_code const& error, char const* what);

// Opens a handle of this rank.
argosy::lab::virtual_gpfs_handle opened(player& p);

}  // namespace shapes
