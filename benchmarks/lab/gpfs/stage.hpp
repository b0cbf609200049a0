// A simulated GPFS under so many virtual ranks, and what is measured of a run on it.
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

// Of all ranks together.
struct measured {
  double seconds = 0;
  std::int64_t messages = 0, revocations = 0, file_calls = 0;
};

class stage;

// What a rank is given: its world, and a clock that all ranks start and stop together.
class player {
 public:
  player(argosy::lab::virtual_rank const& world, stage& where) : world_(world), stage_(where) {}

  argosy::lab::virtual_rank const& world() const { return world_; }
  int rank() const { return world_.rank(); }
  stage& where() const { return stage_; }
  // Collective: nothing of the file is cached, and nobody has tokens.
  void start();
  // Collective. What a report of this rank says of messages between ranks counts, too.
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
  // One run; `program` starts and stops the clock once. Throws what it throws.
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

// The byte of the file at this offset, different for each salt: what is written, and what is to be
// read.
inline std::byte byte_at(std::int64_t offset, std::uint64_t salt) {
  return static_cast<std::byte>(
      ((static_cast<std::uint64_t>(offset) + 1) * 0x9e3779b97f4a7c15u ^ salt * 0x2545f491u) >> 40);
}
void fill(std::span<std::byte> bytes, std::int64_t offset, std::uint64_t salt);
// Throws if they are not those.
void require(std::span<std::byte const> bytes, std::int64_t offset, std::uint64_t salt);
void require(std::error_code const& error, char const* what);

// A handle of this rank.
argosy::lab::virtual_gpfs_handle opened(player& p);

}  // namespace shapes
