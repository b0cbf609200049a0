// ARGOSY_WATCH: reports a rank that waits for long in a collective call, with the call and the
// ranks that are missing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <argosy/error/source_location.hpp>
#include <argosy/file/detail/ranks/call_board.hpp>
#include <argosy/world/service.hpp>

namespace argosy::detail {

// Reads the board of one rank's open file. A thread of its own looks at the clock and writes to
// standard error. The thread makes no MPI calls. The watch asks one rank of each other node by a
// service of its own, because a file may have no served_world.
class call_watch {
 public:
  // Returns the board of a watched rank; null if ARGOSY_WATCH is not a number of seconds.
  static std::shared_ptr<call_board> from_environment(std::string const& path, int rank);
  // Returns the board of a rank that only answers other ranks, and has no thread.
  static std::shared_ptr<call_board> of_others();

  explicit call_watch(call_board const& board) noexcept : board_(board) {}
  call_watch(call_watch const&) = delete;
  call_watch& operator=(call_watch const&) = delete;
  ~call_watch();

  // Connects the watch to other nodes. `asks` reaches one rank of each, and may be null. Its
  // function is `answer`, which any thread may call.
  void meet_others(std::unique_ptr<service> asks, std::vector<int> one_of_each);
  std::vector<std::byte> answer(std::span<std::byte const> question) const;

  // Marks the begin and the end of a wait of this rank for call `number`. `call` is a string
  // literal.
  void wait_for(call_board::lane l, std::uint64_t number, std::string_view call,
                source_location const& where) noexcept;
  void end(call_board::lane l) noexcept;

 private:
  using clock = std::chrono::steady_clock;
  static constexpr auto never = clock::time_point::max();
  struct wait {
    std::uint64_t number = 0;
    std::string_view call;
    source_location where;
    clock::time_point since, tell = never;
  };
  struct other_nodes {
    std::unique_ptr<service> asks;  // null: other nodes cannot be asked
    std::vector<int> ranks;         // one rank of each node
  };

  void start(std::chrono::duration<double> patience, std::string path, int rank);
  void run();
  void tell(call_board::lane l, wait const& w);
  std::string whom(call_board::lane l, std::uint64_t number);

  call_board const& board_;
  clock::duration patience_{};
  std::string path_;
  int rank_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<wait, 2> waits_;  // by lane
  bool ending_ = false;
  std::optional<other_nodes> others_;  // empty: all ranks are on this node; set once
  std::thread thread_;                 // no thread: this rank only answers others
};

}  // namespace argosy::detail
