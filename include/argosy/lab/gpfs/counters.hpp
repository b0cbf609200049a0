// The counters of client nodes, manager and servers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::lab::gpfs {

// The counters of one client node. `token_*` and `revoke*` count messages.
struct client_counters {
  std::int64_t calls = 0, bytes_read = 0, bytes_written = 0;
  std::int64_t token_requests = 0, token_renewals = 0, token_grants = 0, token_conflicts = 0,
               token_refusals = 0;
  std::int64_t token_hits = 0;      // calls that had all their tokens already
  std::int64_t token_releases = 0;  // tokens given back without a revocation
  std::int64_t revokes_sent = 0, revokes_received = 0, revoke_answers = 0;
  std::int64_t revoke_flushes = 0;  // blocks written because of a revocation
  std::int64_t revoke_drops = 0;    // blocks dropped from the cache because of a revocation
  std::int64_t downgrades = 0;      // revocations that left a read token
  std::int64_t page_hits = 0, page_misses = 0, evictions = 0;
  std::int64_t block_reads = 0, block_writes = 0;  // all of them, for any reason
  // reads of blocks that were to be written in part
  std::int64_t merge_reads = 0;
  std::int64_t resends = 0;  // requests sent again, because servers had no buffers for them
  std::int64_t new_blocks = 0, full_block_writes = 0;
  std::int64_t prefetches = 0, prefetch_hits = 0;
  std::int64_t write_behinds = 0, write_behind_waits = 0, pool_waits = 0;
  std::int64_t hint_calls = 0, ranges_accepted = 0, ranges_refused = 0, ranges_released = 0,
               ranges_unknown = 0;
  std::int64_t ships_sent = 0, ships_received = 0, ship_bytes = 0;
  std::int64_t size_queries = 0;
  std::int64_t flush_errors = 0, errors_after_close = 0;
  std::int64_t lock_requests = 0, unlocks = 0;

  std::int64_t token_messages() const {  // sent or received by this node as a requester
    return token_requests + token_renewals + token_grants + token_conflicts + token_refusals +
           2 * revokes_sent;
  }
};

// Calls visit(name, member) for every counter.
template <class Counters, class Visit>
void for_each_client_counter(Counters& c, Visit&& visit) {
  visit("calls", c.calls);
  visit("bytes_read", c.bytes_read);
  visit("bytes_written", c.bytes_written);
  visit("token_requests", c.token_requests);
  visit("token_renewals", c.token_renewals);
  visit("token_grants", c.token_grants);
  visit("token_conflicts", c.token_conflicts);
  visit("token_refusals", c.token_refusals);
  visit("token_hits", c.token_hits);
  visit("token_releases", c.token_releases);
  visit("revokes_sent", c.revokes_sent);
  visit("revokes_received", c.revokes_received);
  visit("revoke_answers", c.revoke_answers);
  visit("revoke_flushes", c.revoke_flushes);
  visit("revoke_drops", c.revoke_drops);
  visit("downgrades", c.downgrades);
  visit("page_hits", c.page_hits);
  visit("page_misses", c.page_misses);
  visit("evictions", c.evictions);
  visit("block_reads", c.block_reads);
  visit("block_writes", c.block_writes);
  visit("merge_reads", c.merge_reads);
  visit("resends", c.resends);
  visit("new_blocks", c.new_blocks);
  visit("full_block_writes", c.full_block_writes);
  visit("prefetches", c.prefetches);
  visit("prefetch_hits", c.prefetch_hits);
  visit("write_behinds", c.write_behinds);
  visit("write_behind_waits", c.write_behind_waits);
  visit("pool_waits", c.pool_waits);
  visit("hint_calls", c.hint_calls);
  visit("ranges_accepted", c.ranges_accepted);
  visit("ranges_refused", c.ranges_refused);
  visit("ranges_released", c.ranges_released);
  visit("ranges_unknown", c.ranges_unknown);
  visit("ships_sent", c.ships_sent);
  visit("ships_received", c.ships_received);
  visit("ship_bytes", c.ship_bytes);
  visit("size_queries", c.size_queries);
  visit("flush_errors", c.flush_errors);
  visit("errors_after_close", c.errors_after_close);
  visit("lock_requests", c.lock_requests);
  visit("unlocks", c.unlocks);
}

struct manager_counters {
  std::int64_t requests = 0, grants = 0, conflicts = 0, waits = 0, releases = 0, refusals = 0,
               size_queries = 0;
  std::int64_t failed_nodes = 0;
  std::int64_t locks = 0, lock_waits = 0, unlocks = 0;
};

struct server_counters {
  std::int64_t reads = 0, hole_reads = 0, writes = 0, bytes_read = 0, bytes_written = 0, errors = 0,
               refused = 0;
  // `longest_queue`: the most requests in service at one time, including the new one.
  // `overloaded`: requests that, when they came, made it more than `queue_limit`.
  std::int64_t longest_queue = 0, overloaded = 0;
  std::int64_t lost = 0;  // requests that found no buffer
};

}  // namespace argosy::lab::gpfs
