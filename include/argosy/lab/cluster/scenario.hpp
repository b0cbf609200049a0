// A scenario: everything that a run of the virtual cluster depends on, as a value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/handle/fault_script.hpp>

namespace argosy::lab {

// The network between nodes, and within a node. Rates are those of one adapter in one direction,
// and of one rank that copies.
//
// Where the processors of a node are counted, its ranks are dealt to them, and each holds its part
// of one to the end, also while it polls for messages; not while it waits for a file, unless all
// ranks have threads that do this for them. Whatever else the node does, as the daemon of a file
// system, takes a processor that no rank holds, or half of one that a rank holds.
struct virtual_network {
  std::int64_t latency_ns = 1500;
  std::int64_t adapter_mb_per_s = 12'500;
  std::int64_t node_latency_ns = 300;
  std::int64_t node_mb_per_s = 8'000;
  std::int64_t overhead_ns = 250;  // of a rank, per message sent or received
  // of its processor, which packs or unpacks what it sends or receives; 0: no limit
  std::int64_t rank_mb_per_s = 0;
  // the same for what it copies in a collective call, to and from windows; 0: no limit
  std::int64_t pack_mb_per_s = 0;
  std::int64_t piece_ns = 0;         // of a rank, for each contiguous piece that it copies there
  std::int64_t node_processors = 0;  // of a node; 0: as many as there is work for
  bool polls_in_files = false;       // a rank holds its processor also while it waits for a file
  std::int64_t eager_bytes = 8192;   // longer messages wait for their receive
  std::int64_t detection_us = 1000;  // from a rank's death until others learn it
  std::int64_t jitter_ns = 0;        // messages are up to this much late, as the seed says
  bool operator==(virtual_network const&) const = default;
};

// The file system: servers with queues, over which files are striped.
struct virtual_disk {
  static constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

  int servers = 4;
  std::int64_t stripe_bytes = std::int64_t{1} << 20;
  std::int64_t server_mb_per_s = 1'000;
  // of a server, for each stretch that does not follow the previous one
  std::int64_t request_ns = 20'000;
  std::int64_t call_ns = 5'000;     // of a rank, per call
  std::int64_t lock_ns = 50'000;    // per lock
  std::int64_t block_bytes = 4096;  // the unit of allocation, and of survival in a crash
  std::int64_t capacity_bytes = endless;
  bool has_locks = true;
  bool operator==(virtual_disk const&) const = default;
};

// A fault of the calls of one rank to virtual files. Calls are counted below all retries: EINTR and
// short counts are continued and not seen above. Rank -1: every rank, each with its own count.
struct rank_fault {
  int rank = 0;
  fault what;
  friend bool operator==(rank_fault const& a, rank_fault const& b) {
    return a.rank == b.rank && a.what.kind == b.what.kind && a.what.first == b.what.first &&
           a.what.times == b.what.times && a.what.error == b.what.error &&
           a.what.most_bytes == b.what.most_bytes && a.what.delay == b.what.delay;
  }
};
// A rank that computes and sends `factor` times slower.
struct slow_rank {
  int rank = 0;
  double factor = 1;
  bool operator==(slow_rank const&) const = default;
};
// A rank that stands still when its clock reaches a time.
struct paused_rank {
  int rank = 0;
  std::int64_t at_us = 0;
  std::int64_t for_us = 0;
  bool operator==(paused_rank const&) const = default;
};
// A rank that ends for good (fail-stop) instead of beginning its k-th operation, counted from 1:
// messages, waits, collective calls and calls to virtual files.
struct dying_rank {
  int rank = 0;
  std::int64_t operation = 1;
  bool operator==(dying_rank const&) const = default;
};

//   scenario s{.ranks = 64, .seed = 7};
//   s.faults.push_back({3, fail_at(file_call::write, 2, std::errc::no_space_on_device)});
//   s.deaths.push_back({.rank = 5, .operation = 40});
// Ranks are those of the whole cluster.
struct scenario {
  int ranks = 1;
  int ranks_per_node = 8;
  // the order of simultaneous events, and the jitter of messages; 0: no shuffling
  std::uint64_t seed = 0;
  virtual_network network = {};
  virtual_disk disk = {};
  std::vector<rank_fault> faults = {};
  std::vector<slow_rank> slow = {};
  std::vector<paused_rank> pauses = {};
  std::vector<dying_rank> deaths = {};
  bool operator==(scenario const&) const = default;
};

// One line, without members that have their defaults: "ranks=64 seed=7
// fault=rank:3,call:write,first:2,error:ENOSPC die=5:40". parse_scenario is the inverse; throws
// std::invalid_argument, with the word that it does not understand.
std::string to_string(scenario const& s);
std::string to_string(rank_fault const& x);  // "fault=rank:3,call:write,first:2,error:ENOSPC"
std::string to_string(paused_rank const& x);
std::string to_string(dying_rank const& x);
scenario parse_scenario(std::string_view text);

}  // namespace argosy::lab
