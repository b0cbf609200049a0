// The common context of all parts of a client node: its number and machine, the current event, and
// the outbox for answers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <argosy/lab/gpfs/counters.hpp>
#include <argosy/lab/gpfs/detail/block_server.hpp>
#include <argosy/lab/gpfs/detail/client_node.hpp>
#include <argosy/lab/gpfs/detail/message.hpp>
#include <argosy/lab/gpfs/detail/outbox.hpp>
#include <argosy/lab/gpfs/machine.hpp>

namespace argosy::lab::gpfs::detail::client {

// Has no reference to the parts. Each part has a reference to it, and learns nothing of other parts
// through it.
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

  // Begins an event. All messages until the next event go to this outbox.
  void begin(instant now, outbox& out) {
    now_ = now;
    out_ = &out;
  }
  instant now() const { return now_; }

  // Reports a change that a waiting operation may wait for: all of them check again.
  void changed() { changed_ = true; }
  bool take_changed() { return std::exchange(changed_, false); }

  // Returns the next id, from one sequence for operations, requests and shipped calls.
  std::int64_t next_id() { return next_id_++; }

  // Returns when the processor has done this work after all earlier work. If processors are
  // counted, it is that of the owner's task; 0 is the daemon.
  instant compute(double seconds, std::int64_t owner = 0) {
    std::int64_t const whose = processors_ ? owner : 0;
    instant const takes = duration_of(seconds);
    return pass(workers_[whose], takes, takes, whose);
  }
  instant copy(std::int64_t bytes, std::int64_t owner = 0) {
    return compute(machine_.seconds_to_copy(bytes), owner);
  }
  // Computes when bytes of a block have passed the node's software, on their way to a server or
  // from one.
  class software_path {
    friend context;
    fifo line_;
    instant free_{};
  };
  instant pass(software_path& path, std::int64_t bytes, double mb_per_s) {
    instant const takes = duration_of(machine::seconds(bytes, mb_per_s));
    bool const all = machine_.ip_mb_per_s <= 0;
    return pass(
        path, takes,
        all ? takes : std::min(takes, duration_of(machine::seconds(bytes, machine_.ip_mb_per_s))),
        0);
  }
  void set_processors(client_node::processor_time f) { processors_ = std::move(f); }

  void tell_manager(message_body body, instant departs) {
    out_->send(me_, {role::manager, 0}, std::move(body), std::max(now_, departs));
  }
  void tell_node(node_id node, message_body body, instant departs, std::int64_t bytes = 0) {
    out_->send(me_, {role::client, node}, std::move(body), std::max(now_, departs), bytes);
  }
  void tell_server(int server, message_body body, instant departs, std::int64_t bytes = 0) {
    out_->send(me_, {role::server, server}, std::move(body), departs, bytes);
  }
  int server_of(file_id file, std::int64_t block) const {
    return place_of(machine_, file, block).server;
  }
  void complete(completion c) { out_->completions.push_back(c); }

  // Notes that the manager has buried a node, so that no operation waits for it.
  void bury(node_id node) { dead_.insert(node); }
  bool is_dead(node_id node) const { return dead_.contains(node); }

 private:
  // `busy` is the part of `takes` in which a processor works.
  instant pass(software_path& path, instant takes, instant busy, std::int64_t owner) {
    if (!processors_) return path.line_.take(now_, takes);
    instant const begins = std::max(now_, path.free_);
    return path.free_ = processors_(owner, begins, busy) + (takes - busy);
  }

  address me_;
  gpfs::machine machine_;
  client_counters counters_;
  outbox* out_ = nullptr;
  instant now_{};
  bool changed_ = false;
  std::int64_t next_id_ = 1;
  std::set<node_id> dead_;
  std::map<std::int64_t, software_path> workers_;  // by owner
  client_node::processor_time processors_;
};

}  // namespace argosy::lab::gpfs::detail::client
