// ARGOSY_WATCH: a rank that waits long in a collective call says in which, and for whom.
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
// standard error; it makes no call of MPI. It asks one rank of each other node by a service of its
// own, as a file need not have a served_world.
class call_watch {
 public:
  // Returns the board of a rank that is watched, or null if ARGOSY_WATCH names no seconds.
  static std::shared_ptr<call_board> from_environment(std::string const& path, int rank);
  // Returns the board of a rank that tells others where it is, and has no thread.
  static std::shared_ptr<call_board> of_others();

  explicit call_watch(call_board const& board) noexcept : board_(board) {}
  call_watch(call_watch const&) = delete;
  call_watch& operator=(call_watch const&) = delete;
  ~call_watch();

  // Learns of other nodes. `asks`, which may be null, asks one rank of each; its function is
  // `answer`, which any thread may call.
  void meet_others(std::unique_ptr<service> asks, std::vector<int> one_of_each);
  std::vector<std::byte> answer(std::span<std::byte const> question) const;

  // Begins and ends a wait of this rank, for call `number`. `call` is a literal.
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
    std::unique_ptr<service> asks;  // null: they cannot be asked
    std::vector<int> ranks;         // one of each
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
  std::optional<other_nodes> others_;  // none: all ranks are on this node; is set once
  std::thread thread_;                 // none: this rank tells others only
};

}  // namespace argosy::detail
