// A whole simulated GPFS in one thread: nodes, manager and servers on a virtual clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <argosy/lab/detail/event_queue.hpp>
#include <argosy/lab/gpfs/detail/block_server.hpp>
#include <argosy/lab/gpfs/detail/client_node.hpp>
#include <argosy/lab/gpfs/detail/fabric.hpp>
#include <argosy/lab/gpfs/detail/token_manager.hpp>
#include <argosy/lab/gpfs/machine.hpp>
#include <argosy/lab/gpfs/troubles.hpp>

namespace argosy::lab::gpfs {

// Delivers the messages of the state machines in the order of virtual time. Simultaneous events
// happen in the order in which they were made. The same calls and options give the same run.
class loopback {
 public:
  // Store k of `stores` is that of server k. A server without one stores its blocks in memory.
  loopback(machine const& m, int nodes, troubles const& t = {},
           std::vector<std::shared_ptr<detail::block_store>> stores = {},
           contents kept = contents::real);
  loopback(loopback const&) = delete;

  // A call that is under way.
  struct ticket {
    int node = 0;
    std::int64_t number = 0;
    friend constexpr auto operator<=>(ticket const&, ticket const&) = default;
  };
  // Starts a call now. Throws std::logic_error if the node is dead.
  ticket start(int node, detail::call c);
  // Returns true if the call is complete. If `on_completion` is set, or the node has died before,
  // that never happens. Results are stored as long as the loopback lives.
  bool done(ticket const& t) const { return completions_.contains(t); }
  // Returns the result. Throws std::out_of_range if the call is not done.
  detail::completion result(ticket const& t) const { return completions_.at(t); }
  // Starts a call at a time, or now if that has passed. No caller waits for it. The call is not
  // made if the node is dead by then.
  void start_later(int node, detail::call c, std::chrono::nanoseconds at);
  // Handles the next event. Returns false if there is none, or if another queue has the events.
  bool step();
  // Sets the clock. Call it only after all earlier events have happened.
  void pass(std::chrono::nanoseconds to) { now_ = std::max(now_, to); }
  // Handles events until none is left.
  void run();
  // Moves all future events into another queue, which must call happen() with the number that it
  // was given. An empty function moves them back into the system's own queue.
  void order_by(std::function<void(std::chrono::nanoseconds, std::uint64_t)> const& queue);
  // Handles an event. Does nothing if it has been handled before.
  void happen(std::uint64_t number);
  // Handles events until the call is complete, and returns its result. Throws std::logic_error if
  // no event is left before that.
  detail::completion wait(ticket const& t);
  detail::completion perform(int node, detail::call c) { return wait(start(node, std::move(c))); }

  void interrupt(ticket const& t);
  // Removes a node with all data that it had not written. Its calls under way never complete. The
  // manager frees its tokens and locks when the node's lease has expired.
  void kill(int node);
  bool is_dead(int node) const { return dead_.contains(node); }

  // Returns the bytes that a read of the whole file would return now; empty if there is no such
  // file. Takes no time. Throws std::logic_error if the file has no contents.
  std::vector<std::byte> content(std::string const& path) { return bytes_of(path, true); }
  // Returns the bytes that would be left if all nodes were lost now.
  std::vector<std::byte> on_disk(std::string const& path) { return bytes_of(path, false); }

  std::chrono::nanoseconds now() const { return now_; }
  machine const& hardware() const { return machine_; }
  int nodes() const { return static_cast<int>(clients_.size()); }
  detail::client_node& client(int node) { return clients_[static_cast<std::size_t>(node)]; }
  detail::token_manager& manager() { return manager_; }
  detail::fabric& network() { return fabric_; }
  detail::block_server& server(int k) { return servers_[static_cast<std::size_t>(k)]; }
  // Called for every message on delivery, except for messages to dead nodes.
  std::function<void(detail::message const&, std::chrono::nanoseconds)> on_delivery;
  // Called at the end of every call. If set, results are not stored.
  std::function<void(ticket const&, detail::completion const&)> on_completion;

 private:
  struct ended {
    int node;
    detail::completion what;
  };
  struct alarm {
    std::int64_t id;
  };
  struct beginning {
    int node;
    detail::call what;
  };
  using event = std::variant<detail::message, ended, alarm, beginning>;
  // A future event. Its number has its place among `events_` in the last bits.
  struct made {
    std::uint64_t number = 0;  // 0: the place is free
    std::chrono::nanoseconds at{};
    event what;
  };
  static constexpr int place_bits = 24;

  // Calls act(out) with an empty outbox, and posts what it has sent.
  template <class Act>
  void post_all_of(int node, Act const& act);
  void post(detail::outbox& out, int node);
  void post(std::chrono::nanoseconds at, event&& what);
  void put_in_order(std::chrono::nanoseconds at, std::uint64_t number);
  void handle(detail::message const& m);
  void handle(ended const& e);
  void handle(alarm const& a);
  void handle(beginning const& b);
  std::vector<std::byte> bytes_of(std::string const& path, bool with_caches);

  machine machine_;
  std::chrono::nanoseconds delay_max_;
  std::mt19937_64 random_;
  detail::fabric fabric_;
  detail::token_manager manager_;
  std::vector<detail::client_node> clients_;
  std::vector<detail::block_server> servers_;
  std::deque<made> events_;
  std::vector<std::uint64_t> free_places_;
  std::uint64_t events_made_ = 0;
  detail::outbox spare_;                           // empty; its memory is used again
  lab::detail::event_queue<std::uint64_t> queue_;  // the numbers of future events, if
  // this function is empty; otherwise it gets them
  std::function<void(std::chrono::nanoseconds, std::uint64_t)> other_queue_;
  std::chrono::nanoseconds now_{};
  std::map<ticket, detail::completion> completions_;
  std::set<int> dead_;
};

}  // namespace argosy::lab::gpfs
