// The lock of a rank around its shared pointer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include <argosy/world/background.hpp>

namespace argosy::detail {

// Keeps out others of this rank. In worlds that work in the background they are on this thread,
// too: who waits lets them go on.
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
