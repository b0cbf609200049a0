// Calls that may go on in an open file besides one: requests, and those of other threads.
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
  // In a world that carries requests out itself; in others threads do.
  void run_on(std::shared_ptr<background> workers) { workers_ = std::move(workers); }
  // Null: threads do.
  std::shared_ptr<background> const& workers() const noexcept { return workers_; }

  bool has_requests() const noexcept { return pending_ > 0; }
  // Counts one more; then no call of another thread goes on that does not know of it.
  void add_request();
  void end_request() noexcept { --pending_; }
  // Carries out `work` beside the program, on at most so many threads.
  void start(std::function<void()> work, std::int64_t threads);
  void wait_for_requests();
  // Waits for threads, and for what their completions do.
  void end_threads();

  // The threads of the program, in blocking writes.
  one_thread& threads() noexcept { return threads_of_program_; }

 private:
  std::atomic<int> pending_{0};
  one_thread threads_of_program_;
  std::shared_ptr<background> workers_;
  std::mutex mutex_;
  std::unique_ptr<io_threads> threads_;
};

}  // namespace argosy::detail
