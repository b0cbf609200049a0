// The simulated hardware and the software limits of GPFS on it: all parameters of the cost model.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <iosfwd>

#include <argosy/policy/storage.hpp>

namespace argosy::lab::gpfs {

// A regular value. A rate of 0 is no limit. The defaults are a plausible machine of the year 2000.
// MB are 10^6 bytes.
struct machine {
  // components
  std::int64_t block_bytes = 256 * 1024;  // a power of two, at most 64 MiB
  std::int64_t servers = 4;
  std::int64_t disks_per_server = 4;
  // parts of a block, each read for merges and written by itself: 1, 2, 4, 8, 16 or 32
  std::int64_t sub_blocks = 1;
  // if 1, server k runs on client node k, if there is one, and uses its adapters
  std::int64_t servers_on_clients = 0;
  // client node
  // one call, cached; the calls of a node that access one file take turns
  double call_us = 10;
  double write_call_us = 0;  // added for a write
  double segment_us = 0.5;   // one contiguous piece of a datatype
  double hint_us = 20;       // one gpfs_fcntl structure
  // one memory copy, for each node, or for each processor if they are counted
  double copy_mb_per_s = 300;
  double client_write_mb_per_s = 180;  // client software, for data written to disks
  double client_read_mb_per_s = 300;   // and for data read from disks
  double ip_mb_per_s = 0;              // the part of that work that a processor does; 0: all of it
  std::int64_t pagepool_bytes = std::int64_t{50} << 20;
  std::int64_t prefetch_max_blocks = 16;  // ahead of one stream
  // if 1, a write in no order returns when its blocks are on disk, unless a range hint named them
  std::int64_t random_writes_wait = 0;
  // part of the pool for blocks read ahead by all streams of a node and not used yet
  std::int64_t prefetch_percent = 25;
  std::int64_t prefetch_threads = 72;         // reads ahead under way, for each node
  std::int64_t write_behind_max_blocks = 50;  // dirty blocks, for each node
  std::int64_t range_quota_blocks = 16;  // ranges accepted and not released, for each open file
  // if 1, fewer ranges are accepted while reads of the node take longer than those of idle servers
  std::int64_t range_quota_by_load = 0;
  // if 1, close waits for the disk, and the node's cache stays valid
  std::int64_t close_flushes = 0;
  // network
  double message_us = 20;     // latency
  double nic_mb_per_s = 133;  // one adapter
  std::int64_t adapters_per_node = 1;
  // if 1, messages between ranks of the virtual cluster use these adapters, too
  std::int64_t shared_adapters = 0;
  double bisection_mb_per_s = 0;
  double noise = 0;  // relative, of the adapters' rate
  std::int64_t noise_seed = 1;
  // token manager and holders
  double token_us = 50;
  double open_us = 0;    // time of the node that has a file's inode, for an open
  double create_us = 0;  // its time for an open that creates the file, instead
  double close_us = 0;   // its time for each close
  // its time for each write token that another node had to give up, because size and block
  // addresses are updated
  double tenure_us = 0;
  double revoke_us = 50;  // time of the holder, without the flush
  // if 1, a strided stream desires its next strides, but not the blocks between them
  std::int64_t stride_tokens = 0;
  double lease_s = 35;               // time until a silent node loses its tokens
  std::int64_t ship_files_max = 64;  // files partitioned at the same time
  // how long a start or stop of partitioning waits for other instances; 0: without limit
  double ship_wait_s = 60;
  // time of the token manager for each directive of an instance: a start or a stop of partitioning
  double ship_task_us = 0;
  // servers
  double server_mb_per_s = 60;      // adapter and software, for each server
  double server_read_mb_per_s = 0;  // for reads; 0: as for writes
  // the most recently used blocks, which are read without a disk
  std::int64_t server_cache_bytes = 0;
  // bytes of writes that are answered before they are on disk, and are as safe as on disk
  std::int64_t server_dirty_bytes = 0;
  double disk_mb_per_s = 80;  // streaming, all disks of a server
  double disk_us = 7000;      // positioning, for each request
  // if 1, no positioning for a block that follows the one before on its disk
  std::int64_t disk_streams = 0;
  // Flow control with buffers: a server holds the bytes of a request in a buffer, from its arrival
  // to its answer. A request that finds no space is lost. Its client sends it again after a
  // timeout, which doubles each time.
  std::int64_t server_buffer_bytes = 0;  // 0: there is always space
  double retry_ms = 1000;
  // Flow control if `server_buffer_bytes` is 0: up to `queue_limit` requests the efficiency is 1.
  // For q requests, more than the limit, it is 1 / (1 + a (q - limit) / limit). There a is one of
  // the two following parameters. A limit of 0 is no limit.
  std::int64_t queue_limit = 32;
  double overload_read = 0;
  double overload_write = 0;

  std::int64_t pool_blocks() const { return pagepool_bytes / block_bytes; }
  std::int64_t blocks_ahead() const { return pool_blocks() * prefetch_percent / 100; }
  std::int64_t part_bytes() const { return block_bytes / sub_blocks; }
  // Returns the parts of a block that bytes [begin, end) touch, as bits.
  std::uint32_t parts_of(std::int64_t begin, std::int64_t end) const {
    if (begin >= end) return 0;
    return bits_below((end - 1) / part_bytes() + 1) & ~bits_below(begin / part_bytes());
  }
  // Returns the parts that lie completely in [begin, end), as bits.
  std::uint32_t parts_within(std::int64_t begin, std::int64_t end) const {
    std::int64_t const first = (begin + part_bytes() - 1) / part_bytes(), last = end / part_bytes();
    return first < last ? bits_below(last) & ~bits_below(first) : 0;
  }
  std::int64_t bytes_of(std::uint32_t parts) const { return std::popcount(parts) * part_bytes(); }
  double seconds_to_copy(std::int64_t bytes) const { return seconds(bytes, copy_mb_per_s); }
  double efficiency(std::int64_t queue, bool is_write) const {
    if (queue <= queue_limit || queue_limit <= 0 || server_buffer_bytes > 0) return 1;
    double const over = static_cast<double>(queue - queue_limit) / static_cast<double>(queue_limit);
    return 1 / (1 + (is_write ? overload_write : overload_read) * over);
  }
  static double seconds(std::int64_t bytes, double mb_per_s) {
    return mb_per_s > 0 ? static_cast<double>(bytes) / (mb_per_s * 1e6) : 0;
  }

  // Returns the prices of calls for a client, by docs/develop/prices.md.
  argosy::extend::storage storage() const;

  friend bool operator==(machine const&, machine const&) = default;

 private:
  static constexpr std::uint32_t bits_below(std::int64_t n) {
    return n >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << n) - 1;
  }
};

// Calls visit(name, member) for every parameter.
template <class Machine, class Visit>
void for_each_parameter(Machine& m, Visit&& visit) {
  visit("block_bytes", m.block_bytes);
  visit("servers", m.servers);
  visit("disks_per_server", m.disks_per_server);
  visit("sub_blocks", m.sub_blocks);
  visit("servers_on_clients", m.servers_on_clients);
  visit("call_us", m.call_us);
  visit("write_call_us", m.write_call_us);
  visit("segment_us", m.segment_us);
  visit("hint_us", m.hint_us);
  visit("copy_mb_per_s", m.copy_mb_per_s);
  visit("client_write_mb_per_s", m.client_write_mb_per_s);
  visit("client_read_mb_per_s", m.client_read_mb_per_s);
  visit("ip_mb_per_s", m.ip_mb_per_s);
  visit("pagepool_bytes", m.pagepool_bytes);
  visit("prefetch_max_blocks", m.prefetch_max_blocks);
  visit("random_writes_wait", m.random_writes_wait);
  visit("prefetch_percent", m.prefetch_percent);
  visit("prefetch_threads", m.prefetch_threads);
  visit("write_behind_max_blocks", m.write_behind_max_blocks);
  visit("range_quota_blocks", m.range_quota_blocks);
  visit("range_quota_by_load", m.range_quota_by_load);
  visit("close_flushes", m.close_flushes);
  visit("message_us", m.message_us);
  visit("nic_mb_per_s", m.nic_mb_per_s);
  visit("adapters_per_node", m.adapters_per_node);
  visit("shared_adapters", m.shared_adapters);
  visit("bisection_mb_per_s", m.bisection_mb_per_s);
  visit("noise", m.noise);
  visit("noise_seed", m.noise_seed);
  visit("token_us", m.token_us);
  visit("open_us", m.open_us);
  visit("create_us", m.create_us);
  visit("close_us", m.close_us);
  visit("tenure_us", m.tenure_us);
  visit("revoke_us", m.revoke_us);
  visit("stride_tokens", m.stride_tokens);
  visit("lease_s", m.lease_s);
  visit("ship_files_max", m.ship_files_max);
  visit("ship_wait_s", m.ship_wait_s);
  visit("ship_task_us", m.ship_task_us);
  visit("server_mb_per_s", m.server_mb_per_s);
  visit("server_read_mb_per_s", m.server_read_mb_per_s);
  visit("server_cache_bytes", m.server_cache_bytes);
  visit("server_dirty_bytes", m.server_dirty_bytes);
  visit("disk_mb_per_s", m.disk_mb_per_s);
  visit("disk_us", m.disk_us);
  visit("disk_streams", m.disk_streams);
  visit("server_buffer_bytes", m.server_buffer_bytes);
  visit("retry_ms", m.retry_ms);
  visit("queue_limit", m.queue_limit);
  visit("overload_read", m.overload_read);
  visit("overload_write", m.overload_write);
}

// Writes one `name value` per line; `#` begins a comment.
std::ostream& operator<<(std::ostream& out, machine const& m);
// Reads such lines. Parameters that are not named get the values of `defaults`. Throws
// std::invalid_argument with the line for an unknown name, and for a value that is no number or
// negative. It also throws for a value out of range, with the name of the parameter.
machine read_machine(std::istream& in, machine defaults = {});

}  // namespace argosy::lab::gpfs
