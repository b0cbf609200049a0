// A lock for a few words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <thread>

namespace argosy::detail {

// Costs one atomic exchange if it is free, which is always so in programs with one thread. Code
// under it must be short, and must not wait.
class short_lock {
 public:
  bool try_lock() noexcept { return !taken_.exchange(true, std::memory_order_acquire); }
  void lock() noexcept {
    while (!try_lock()) std::this_thread::yield();
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace argosy::detail
