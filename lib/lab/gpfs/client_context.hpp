// What all parts of a client node share: who the node is, its machine, the event that it works on, and where answers go.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include <argosy/lab/gpfs/block_server.hpp>
#include <argosy/lab/gpfs/counters.hpp>
#include <argosy/lab/gpfs/machine.hpp>
#include <argosy/lab/gpfs/message.hpp>
#include <argosy/lab/gpfs/outbox.hpp>

namespace argosy::lab::gpfs::client {

// Knows no part: each part has it by reference, and learns nothing of the others through it.
class context {
 public:
  context(node_id node, gpfs::machine const& m) : me_{role::client, node}, machine_(m) {}
  context(context const&) = delete;
  context& operator=(context const&) = delete;

  node_id node() const { return me_.index; }
  gpfs::machine const& machine() const { return machine_; }
  std::int64_t block_bytes() const { return machine_.block_bytes; }
  client_counters& counters() { return counters_; }
  client_counters const& counters() const { return counters_; }

  // An event begins: what is told until the next one goes to this outbox.
  void begin(instant now, outbox& out) {
    now_ = now;
    out_ = &out;
  }
  instant now() const { return now_; }

  // Something has changed for which a waiting operation may wait: all of them look again.
  void changed() { changed_ = true; }
  bool take_changed() { return std::exchange(changed_, false); }

  // One sequence for operations, requests and shipped calls.
  std::int64_t next_id() { return next_id_++; }

  // The time at which the processor has done this, after all else that it was given.
  instant compute(double seconds) { return cpu_.take(now_, duration_of(seconds)); }
  instant copy(std::int64_t bytes) { return compute(machine_.seconds_to_copy(bytes)); }

  void tell_manager(message_body body, instant departs) {
    out_->send(me_, {role::manager, 0}, std::move(body), std::max(now_, departs));
  }
  void tell_node(node_id node, message_body body, instant departs, std::int64_t bytes = 0) {
    out_->send(me_, {role::client, node}, std::move(body), std::max(now_, departs), bytes);
  }
  void tell_server(int server, message_body body, instant departs, std::int64_t bytes = 0) {
    out_->send(me_, {role::server, server}, std::move(body), departs, bytes);
  }
  int server_of(file_id file, std::int64_t block) const { return place_of(machine_, file, block).server; }
  void complete(completion c) { out_->completions.push_back(c); }

  // Nodes that the manager has buried: nobody waits for them.
  void bury(node_id node) { dead_.insert(node); }
  bool is_dead(node_id node) const { return dead_.contains(node); }

 private:
  address me_;
  gpfs::machine machine_;
  client_counters counters_;
  outbox* out_ = nullptr;
  instant now_{};
  bool changed_ = false;
  std::int64_t next_id_ = 1;
  std::set<node_id> dead_;
  fifo cpu_;
};

}  // namespace argosy::lab::gpfs::client
