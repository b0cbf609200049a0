// The lock by which the threads of a rank share the shared pointer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include <argosy/world/background.hpp>

namespace argosy::detail {

// Excludes other callers on this rank. In worlds that work in the background, these run on the same
// thread. Then a caller that waits lets them go on.
class pointer_lock {
 public:
  void wait_beside(std::shared_ptr<background> b) { beside_ = std::move(b); }
  void lock() {
    if (!beside_) return mutex_.lock();
    if (taken_) beside_->wait([this] { return !taken_; });
    taken_ = true;
  }
  void unlock() {
    if (!beside_) return mutex_.unlock();
    taken_ = false;
    beside_->wake();
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<background> beside_;
  bool taken_ = false;
};

}  // namespace argosy::detail
