// Calls that may run in an open file concurrently with one call: requests, and calls of other
// threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <argosy/file/detail/state/io_threads.hpp>
#include <argosy/file/detail/state/one_thread.hpp>
#include <argosy/world/background.hpp>

namespace argosy::detail {

// Any thread.
class other_calls {
 public:
  // Sets the workers of a world that carries out requests itself. In other worlds threads do.
  void run_on(std::shared_ptr<background> workers) { workers_ = std::move(workers); }
  // null: threads carry out requests
  std::shared_ptr<background> const& workers() const noexcept { return workers_; }

  bool has_requests() const noexcept { return pending_ > 0; }
  // Counts one more request. Waits until no other thread is in a call that does not know of it.
  void add_request();
  void end_request() noexcept { --pending_; }
  // Carries out `work` concurrently with the program, on at most `threads` threads.
  void start(std::function<void()> work, std::int64_t threads);
  void wait_for_requests();
  // Waits for threads, including the completions that they run.
  void end_threads();

  // The threads of the program that are in blocking writes.
  one_thread& threads() noexcept { return threads_of_program_; }

 private:
  std::atomic<int> pending_{0};
  one_thread threads_of_program_;
  std::shared_ptr<background> workers_;
  std::mutex mutex_;
  std::unique_ptr<io_threads> threads_;
};

}  // namespace argosy::detail
