// The switch: computes when a message arrives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <utility>

#include <argosy/lab/gpfs/detail/message.hpp>
#include <argosy/lab/gpfs/detail/outbox.hpp>
#include <argosy/lab/gpfs/machine.hpp>

namespace argosy::lab::gpfs::detail {

// A message leaves through the sender's adapters, crosses the switch, and enters through the
// receiver's adapters. It may enter while it is still leaving. The adapter of a server is part of
// the server's own rate, unless servers run on client nodes.
//
// Messages of one sender to one receiver arrive in the order of sending. Messages with blocks are
// an exception, because they need no order.
class fabric {
 public:
  explicit fabric(machine const& m)
      : machine_(m), random_(static_cast<std::uint64_t>(m.noise_seed)) {}

  // Returns the time at which a message arrives. Call it once for each message. `extra` delays the
  // message in the switch.
  instant arrival(outbox::outgoing const& o, instant extra = {});
  // Return the times at which other traffic has left, or has entered, through a client node's
  // adapters.
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

}  // namespace argosy::lab::gpfs::detail
