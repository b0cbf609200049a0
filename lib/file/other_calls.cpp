// Implements other_calls.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/other_calls.hpp>

namespace argosy::detail {

void other_calls::add_request() {
  ++pending_;
  one_thread::inside const seen(&threads_of_program_);
}

void other_calls::start(std::function<void()> work, std::int64_t threads) {
  if (workers_) return workers_->start(std::move(work));
  {
    std::lock_guard const guard(mutex_);
    if (!threads_) threads_ = std::make_unique<io_threads>(threads);
  }
  threads_->start(std::move(work));
}

void other_calls::wait_for_requests() {
  if (workers_) workers_->wait([this] { return pending_ == 0; });
  end_threads();
}

void other_calls::end_threads() {
  std::unique_ptr<io_threads> last;  // waits outside the lock: completions may begin new calls
  {
    std::lock_guard const guard(mutex_);
    last = std::move(threads_);
  }
}

}  // namespace argosy::detail
