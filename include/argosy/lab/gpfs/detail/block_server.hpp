// A server: disks with queues, stored blocks, and their costs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/counters.hpp>
#include <argosy/lab/gpfs/detail/block_store.hpp>
#include <argosy/lab/gpfs/detail/outbox.hpp>
#include <argosy/lab/gpfs/machine.hpp>
#include <argosy/lab/gpfs/troubles.hpp>

namespace argosy::lab::gpfs::detail {

// The place of a block. Block b lies on disk (file + b) mod all disks; disk d belongs to server d
// mod servers.
struct block_place {
  int server = 0, disk = 0;  // `disk`: number within the server
};
constexpr block_place place_of(machine const& m, file_id file, std::int64_t block) {
  std::int64_t const disk = (file + block) % (m.servers * m.disks_per_server);
  return {static_cast<int>(disk % m.servers), static_cast<int>(disk / m.servers)};
}

class block_server {
 public:
  block_server(int index, machine const& m, std::shared_ptr<block_store> store,
               troubles const& t = {});

  void receive(message const& m, instant now, outbox& out);
  server_counters const& counters() const { return counters_; }
  block_store& store() { return *store_; }
  // Switches faults on or off. While they are off, requests are not counted for faults.
  void set_faults(bool on) { has_faults_ = on; }

 private:
  using block_key = std::pair<file_id, std::int64_t>;

  void carry_out(address from, block_read const& r, instant now, outbox& out);
  void carry_out(address from, block_write const& w, instant now, outbox& out);
  void carry_out(address from, cut_blocks const& c, instant now, outbox& out);
  void carry_out(address from, fence const& f, instant now, outbox& out);
  address me() const { return {role::server, index_}; }

  // Returns true if there is no buffer for so many bytes. The bytes of a write have passed the
  // adapter even then.
  bool loses(std::int64_t bytes, bool is_write, instant now);
  // Returns the time at which a transfer of so many bytes of a block is done. A write passes the
  // adapter first, a read last.
  instant serve(block_key key, std::int64_t bytes, bool is_write, bool on_disk, instant now);
  // Returns the time at which a disk has carried out the transfer.
  instant move(block_key key, std::int64_t bytes, double slower, instant at);
  // Returns the time of the answer to a write, which may come from memory before the disk has the
  // bytes.
  instant accept(block_key key, std::int64_t bytes, double slower, instant at);
  bool is_cached(block_key key) const { return cached_.contains(key); }
  void cache(block_key key);

  int fails(bool is_write);  // returns an errno if this transfer fails, otherwise 0

  int index_;
  machine machine_;
  std::shared_ptr<block_store> store_;
  std::vector<fifo> positioning_;  // one per disk
  fifo streaming_, adapter_;
  std::priority_queue<instant, std::vector<instant>, std::greater<>>
      queue_;                    // the times at which requests in service will be done
  std::vector<block_key> last_;  // for each disk
  std::list<block_key> order_;   // in the order of last use
  std::map<block_key, std::list<block_key>::iterator> cached_;
  // Blocks whose writes were answered but are not on disk, by the time at which they will be. Later
  // writes into such a block go to disk with it.
  std::set<std::pair<instant, block_key>> unwritten_;
  // with the number of unwritten bytes
  std::map<block_key, std::pair<instant, std::int64_t>> dirty_;
  std::int64_t dirty_bytes_ = 0;
  std::priority_queue<std::pair<instant, std::int64_t>,
                      std::vector<std::pair<instant, std::int64_t>>, std::greater<>>
      buffers_;  // in use: until when, and how many bytes
  std::int64_t buffered_bytes_ = 0;
  std::set<node_id> fenced_;
  std::vector<server_fault> faults_;
  std::int64_t reads_seen_ = 0, writes_seen_ = 0;
  bool has_faults_ = true;
  server_counters counters_;
};

}  // namespace argosy::lab::gpfs::detail
