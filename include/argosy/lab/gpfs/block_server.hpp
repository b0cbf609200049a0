// A server: disks with queues, stored blocks, and their costs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/block_store.hpp>
#include <argosy/lab/gpfs/counters.hpp>
#include <argosy/lab/gpfs/machine.hpp>
#include <argosy/lab/gpfs/outbox.hpp>
#include <argosy/lab/gpfs/troubles.hpp>

namespace argosy::lab::gpfs {

// Block b lies on disk (file + b) mod all disks; disk d belongs to server d mod servers.
struct block_place {
  int server = 0, disk = 0;  // disk: number within the server
};
constexpr block_place place_of(machine const& m, file_id file, std::int64_t block) {
  std::int64_t const disk = (file + block) % (m.servers * m.disks_per_server);
  return {static_cast<int>(disk % m.servers), static_cast<int>(disk / m.servers)};
}

class block_server {
 public:
  block_server(int index, machine const& m, std::shared_ptr<block_store> store, troubles const& t = {});

  void receive(message const& m, instant now, outbox& out);
  server_counters const& counters() const { return counters_; }
  block_store& store() { return *store_; }
  // While faults are off, requests are not counted either.
  void set_faults(bool on) { has_faults_ = on; }

 private:
  // The time at which a transfer of one block is done; the adapter comes first for a write, last for a read.
  instant serve(file_id file, std::int64_t block, bool is_write, bool on_disk, instant now);

  int fails(bool is_write);  // whether this transfer fails: an errno, or 0

  int index_;
  machine machine_;
  std::shared_ptr<block_store> store_;
  std::vector<fifo> positioning_;  // one per disk
  fifo streaming_, adapter_;
  std::priority_queue<instant, std::vector<instant>, std::greater<>>
      queue_;  // the times at which requests in service will be done
  std::set<node_id> fenced_;
  std::vector<server_fault> faults_;
  std::int64_t reads_seen_ = 0, writes_seen_ = 0;
  bool has_faults_ = true;
  server_counters counters_;
};

}  // namespace argosy::lab::gpfs
