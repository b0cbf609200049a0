// A whole simulated GPFS in one thread: nodes, manager and servers on a virtual clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <argosy/handle/gpfs/block_server.hpp>
#include <argosy/handle/gpfs/client_node.hpp>
#include <argosy/handle/gpfs/fabric.hpp>
#include <argosy/handle/gpfs/machine.hpp>
#include <argosy/handle/gpfs/token_manager.hpp>

namespace argosy::gpfs {

// Delivers what the state machines say, in the order of virtual time; events of one instant in the order in which they
// were made. The same calls and options give the same run.
class loopback {
 public:
  struct options {
    std::uint64_t seed = 0;
    instant delay_max{};  // of every message, at random
  };
  // `stores`: one per server, or none: memory.
  loopback(machine const& m, int nodes) : loopback(m, nodes, options{}) {}
  loopback(machine const& m, int nodes, options o, std::vector<std::shared_ptr<block_store>> stores = {});
  loopback(loopback const&) = delete;

  // A call that is under way.
  struct ticket {
    node_id node = 0;
    std::int64_t number = 0;
    friend constexpr auto operator<=>(ticket const&, ticket const&) = default;
  };
  ticket start(node_id node, call c);
  bool done(ticket const& t) const { return completions_.contains(t); }
  completion result(ticket const& t) const { return completions_.at(t); }
  // The next event; false if there is none.
  bool step();
  void run();
  // Goes on until the call is complete. Throws std::logic_error if it never will be.
  completion wait(ticket const& t);
  completion perform(node_id node, call c) { return wait(start(node, std::move(c))); }

  void interrupt(ticket const& t);
  // The node is gone, with all that it had not written. The manager notices when its lease has run out.
  void kill(node_id node);

  instant now() const { return now_; }
  machine const& hardware() const { return machine_; }
  int nodes() const { return static_cast<int>(clients_.size()); }
  client_node& client(node_id node) { return clients_[static_cast<std::size_t>(node)]; }
  token_manager& manager() { return manager_; }
  block_server& server(int k) { return servers_[static_cast<std::size_t>(k)]; }
  // Sees every message when it is delivered.
  std::function<void(message const&, instant)> on_delivery;

 private:
  struct ended {
    node_id node;
    completion what;
  };
  struct alarm {
    std::int64_t id;
  };
  using event = std::variant<message, ended, alarm>;

  void post(outbox& out, node_id node);

  machine machine_;
  options options_;
  std::mt19937_64 random_;
  fabric fabric_;
  token_manager manager_;
  std::vector<client_node> clients_;
  std::vector<block_server> servers_;
  std::map<std::pair<instant, std::uint64_t>, event> events_;  // by time, then by age
  std::uint64_t next_order_ = 0;
  instant now_{};
  std::map<ticket, completion> completions_;
  std::set<node_id> dead_;
};

}  // namespace argosy::gpfs
