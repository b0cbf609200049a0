// The switch: computes when a message arrives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <utility>

#include <argosy/lab/gpfs/machine.hpp>
#include <argosy/lab/gpfs/message.hpp>
#include <argosy/lab/gpfs/outbox.hpp>

namespace argosy::lab::gpfs {

// A message leaves through the sender's adapters, crosses the switch, and enters through the
// receiver's while it is still leaving the other. The adapters of servers are part of their own
// rate, unless they are client nodes. Messages of one sender to one receiver arrive in the order in
// which they were handed over, except those with blocks, which need no order.
class fabric {
 public:
  explicit fabric(machine const& m)
      : machine_(m), random_(static_cast<std::uint64_t>(m.noise_seed)) {}

  // Call it once per message. `extra` delays the message in the switch.
  instant arrival(outbox::outgoing const& o, instant extra = {});
  // For whatever else passes a client node's adapters: the times at which it has left, and has
  // entered.
  instant leave(node_id node, instant at, instant takes) {
    return leaving_[{role::client, node}].take(at, takes);
  }
  instant enter(node_id node, instant at, instant takes) {
    return entering_[{role::client, node}].take(at, takes);
  }

 private:
  bool has_adapters(address const& a) const {
    return a.who != role::server || machine_.servers_on_clients > 0;
  }

  machine machine_;
  std::mt19937_64 random_;
  std::map<address, fifo> leaving_, entering_;
  fifo bisection_;
  std::map<std::pair<address, address>, instant> last_;
};

}  // namespace argosy::lab::gpfs
