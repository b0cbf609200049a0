// A station: listens, connects, and owns the threads for that. None of them makes MPI calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "address.hpp"
#include "connection.hpp"

namespace argosy::wire {

class station {
 public:
  struct options {
    bool listens = true;
    bool local = true, network = true;  // listens on a local name, and on the network
    // number of pieces of work that run at a time; there is one thread more
    int workers = 0;
    // the most bytes of a frame; a longer one is an error
    std::uint64_t most_bytes = std::uint64_t{1} << 40;
    // how long to wait for a greeting, or for a peer to accept
    std::chrono::milliseconds patience{10000};
    // Limit of connections that have not greeted yet. If there are more, the oldest is closed.
    std::size_t most_newcomers = 64;
  };

  // Sets `error` on any failure; the station is unusable then. Calls `accepted` on a thread of the
  // station for each peer that connects and shows the cookie.
  station(options o, connection::welcome accepted, std::error_code& error);
  station(station const&) = delete;
  ~station();  // calls stop()

  address const& where() const { return where_; }
  void leave_network();  // stops listening on the network, because all peers are on this machine

  // Connects. May wait for the peer's machine, but not for its program. If it succeeds, `ended` is
  // the last event.
  std::shared_ptr<connection> connect(address const& to, std::uint64_t introduction,
                                      connection::events e, std::error_code& error);

  // Runs `piece`, which must not throw, on a thread of the station. Ignored once the station stops.
  void work(std::function<void()> piece);
  // Calls the function after that time, or never if the station stops earlier.
  void after(std::chrono::nanoseconds time, std::function<void()> what);

  // Stops accepting, finishes pending work, sends queued frames as long as peers accept them, and
  // ends all connections. Waits for its threads, so it must not be called on one of them.
  void stop();

 private:
  struct door {
    explicit door(boost::asio::io_context& c, bool n) : socket(c), of_network(n) {}
    boost::asio::posix::stream_descriptor socket;
    bool of_network;
    int failures = 0;  // failures to turn peers away, one after the other
  };
  void open_doors();
  void add_door(int descriptor, bool of_network);
  void start_threads();
  void wait_at(std::shared_ptr<door> const& d);  // needs the mutex, as wait_later does
  void wait_later(std::shared_ptr<door> const& d);
  bool accept_all(door& d);
  void close_door(std::shared_ptr<door> const& d);
  std::shared_ptr<connection> add(int descriptor, address const& where);
  void expect_greeting(std::shared_ptr<connection> const& c);
  bool drop_newcomer();
  void watch_newcomers();
  void run_work(std::function<void()> piece);

  options options_;
  connection::welcome accepted_;
  address where_;
  std::shared_ptr<boost::asio::io_context> context_;  // null if it could not be made
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> guard_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<door>> doors_;
  std::set<std::shared_ptr<connection>> connections_;
  struct newcomer {
    std::weak_ptr<connection> who;
    std::chrono::steady_clock::time_point until;
  };
  std::deque<newcomer> newcomers_;  // in the order of arrival; one timer serves all
  bool watches_newcomers_ = false;
  std::set<std::shared_ptr<boost::asio::steady_timer>> timers_;
  std::deque<std::function<void()>> waiting_;
  int working_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace argosy::wire
