// A scenario: all that a run of the virtual cluster depends on, as a value.
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
// If `node_processors` is not 0, the ranks of a node are dealt to that many processors, and stay
// there. All ranks that can run on a processor have equal parts of it until they end. A rank that
// polls for messages can run. A rank that waits for a file cannot, unless `polls_in_files` is set.
//
// Other work of the node, such as that of a file system's daemon, uses a processor without ranks.
// If there is none, it shares the processor with the fewest ranks.
struct virtual_network {
  std::int64_t latency_ns = 1500;
  std::int64_t adapter_mb_per_s = 12'500;
  std::int64_t node_latency_ns = 300;
  std::int64_t node_mb_per_s = 8'000;
  std::int64_t overhead_ns = 250;  // time of a rank, for each message sent or received
  // the processor of a rank that packs or unpacks messages; 0: no limit
  std::int64_t rank_mb_per_s = 0;
  // the processor of a rank that copies to and from windows in a collective call; 0: no limit
  std::int64_t pack_mb_per_s = 0;
  std::int64_t piece_ns = 0;         // time of a rank, for each contiguous piece of such a copy
  std::int64_t node_processors = 0;  // for each node; 0: no limit
  bool polls_in_files = false;       // a rank that waits for a file still occupies its processor
  std::int64_t eager_bytes = 8192;   // longer messages wait for their receive
  std::int64_t detection_us = 1000;  // time from a rank's death until other ranks learn of it
  std::int64_t jitter_ns = 0;        // the most that a message is late; drawn from the seed
  bool operator==(virtual_network const&) const = default;
};

// The file system: servers with queues, and files that are striped over them.
struct virtual_disk {
  static constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

  int servers = 4;
  std::int64_t stripe_bytes = std::int64_t{1} << 20;
  std::int64_t server_mb_per_s = 1'000;
  // time of a server, for each piece that does not follow the one before
  std::int64_t request_ns = 20'000;
  std::int64_t call_ns = 5'000;     // time of a rank, for each call
  std::int64_t lock_ns = 50'000;    // for each lock
  std::int64_t block_bytes = 4096;  // the unit of allocation, and of survival in a crash
  std::int64_t capacity_bytes = endless;
  bool has_locks = true;
  bool operator==(virtual_disk const&) const = default;
};

// A fault in the calls of one rank to virtual files. If the rank is -1, every rank has this fault,
// and counts its own calls. Calls are counted below all retries: EINTR and short counts are
// retried, and do not reach the program.
struct rank_fault {
  int rank = 0;
  fault what;
  friend bool operator==(rank_fault const& a, rank_fault const& b) {
    return a.rank == b.rank && a.what.kind == b.what.kind && a.what.first == b.what.first &&
           a.what.times == b.what.times && a.what.error == b.what.error &&
           a.what.most_bytes == b.what.most_bytes && a.what.delay == b.what.delay;
  }
};
// A rank that computes and sends `factor` times slower. Several entries for a rank multiply.
struct slow_rank {
  int rank = 0;
  double factor = 1;
  bool operator==(slow_rank const&) const = default;
};
// A rank that pauses when its clock reaches a time.
struct paused_rank {
  int rank = 0;
  std::int64_t at_us = 0;
  std::int64_t for_us = 0;
  bool operator==(paused_rank const&) const = default;
};
// A rank that dies (fail-stop) instead of beginning its k-th operation, counted from 1. Operations
// are messages, waits, collective calls and calls to virtual files.
struct dying_rank {
  int rank = 0;
  std::int64_t operation = 1;
  bool operator==(dying_rank const&) const = default;
};

//   scenario s{.ranks = 64, .seed = 7};
//   s.faults.push_back({3, fail_at(file_call::write, 2, std::errc::no_space_on_device)});
//   s.deaths.push_back({.rank = 5, .operation = 40});
//
// Ranks are numbered in the whole cluster.
struct scenario {
  int ranks = 1;
  int ranks_per_node = 8;
  // Decides the order of simultaneous events and the jitter of messages. If 0, simultaneous events
  // happen in the order in which they were made. Messages have their jitter all the same.
  std::uint64_t seed = 0;
  virtual_network network = {};
  virtual_disk disk = {};
  std::vector<rank_fault> faults = {};
  std::vector<slow_rank> slow = {};
  std::vector<paused_rank> pauses = {};
  std::vector<dying_rank> deaths = {};
  bool operator==(scenario const&) const = default;
};

// Returns one line, without members that have their defaults: "ranks=64 seed=7
// fault=rank:3,call:write,first:2,error:ENOSPC die=5:40". The inverse is parse_scenario, which
// throws std::invalid_argument with the word that it does not understand.
std::string to_string(scenario const& s);
std::string to_string(rank_fault const& x);  // "fault=rank:3,call:write,first:2,error:ENOSPC"
std::string to_string(paused_rank const& x);
std::string to_string(dying_rank const& x);
scenario parse_scenario(std::string_view text);

}  // namespace argosy::lab
