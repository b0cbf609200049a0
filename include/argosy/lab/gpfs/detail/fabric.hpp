// The switch: computes when a message arrives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

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
    return leaving({role::client, node}).take(at, takes);
  }
  instant enter(node_id node, instant at, instant takes) {
    return entering({role::client, node}).take(at, takes);
  }

 private:
  bool has_adapters(address const& a) const {
    return a.who != role::server || machine_.servers_on_clients > 0;
  }

  // Returns the place of an address in the lists below: the manager's, the servers', the clients'.
  std::size_t place_of(address const& a) const {
    auto const index = static_cast<std::size_t>(a.index),
               servers = static_cast<std::size_t>(machine_.servers);
    return a.who == role::manager ? 0 : 1 + index + (a.who == role::client ? servers : 0);
  }
  template <class T>
  static T& at(std::vector<T>& all, std::size_t place) {
    if (place >= all.size()) all.resize(place + 1);
    return all[place];
  }
  fifo& leaving(address const& a) { return at(leaving_, place_of(a)); }
  fifo& entering(address const& a) { return at(entering_, place_of(a)); }

  machine machine_;
  std::mt19937_64 random_;
  std::vector<fifo> leaving_, entering_;
  fifo bisection_;
  std::vector<std::vector<instant>> last_;  // arrival of the last message, by sender and receiver
};

}  // namespace argosy::lab::gpfs::detail
