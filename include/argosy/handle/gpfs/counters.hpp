// Everything that can be counted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::gpfs {

// Of one client node. `token_*` and `revoke*` are messages.
struct client_counters {
  std::int64_t calls = 0, bytes_read = 0, bytes_written = 0;
  std::int64_t token_requests = 0, token_renewals = 0, token_grants = 0, token_conflicts = 0, token_refusals = 0;
  std::int64_t token_hits = 0;      // calls that found their tokens
  std::int64_t token_releases = 0;  // given back unasked
  std::int64_t revokes_sent = 0, revokes_received = 0, revoke_answers = 0;
  std::int64_t revoke_flushes = 0;  // blocks written because of a revocation
  std::int64_t revoke_drops = 0;    // blocks forgotten because of a revocation
  std::int64_t downgrades = 0;      // revocations that left a read token
  std::int64_t page_hits = 0, page_misses = 0, evictions = 0;
  std::int64_t block_reads = 0, block_writes = 0;  // all of them, for whatever reason
  std::int64_t merge_reads = 0;                    // reads of blocks that were to be written in part
  std::int64_t new_blocks = 0, full_block_writes = 0;
  std::int64_t prefetches = 0, prefetch_hits = 0;
  std::int64_t write_behinds = 0, write_behind_waits = 0, pool_waits = 0;
  std::int64_t hint_calls = 0, ranges_accepted = 0, ranges_refused = 0, ranges_released = 0, ranges_unknown = 0;
  std::int64_t ships_sent = 0, ships_received = 0, ship_bytes = 0;
  std::int64_t size_queries = 0;
  std::int64_t flush_errors = 0, errors_after_close = 0;

  std::int64_t token_messages() const {  // that this node sent or got as a requester
    return token_requests + token_renewals + token_grants + token_conflicts + token_refusals + 2 * revokes_sent;
  }
};

struct manager_counters {
  std::int64_t requests = 0, grants = 0, conflicts = 0, waits = 0, releases = 0, refusals = 0, size_queries = 0;
  std::int64_t failed_nodes = 0;
};

struct server_counters {
  std::int64_t reads = 0, hole_reads = 0, writes = 0, bytes_read = 0, bytes_written = 0, errors = 0, refused = 0;
  std::int64_t longest_queue = 0, overloaded = 0;  // requests that found the queue longer than its limit
};

}  // namespace argosy::gpfs
