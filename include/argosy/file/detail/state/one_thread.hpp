// Detects whether only one thread has used a file so far. Then its writes need not exclude those of
// other threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <thread>

namespace argosy::detail {

// The first thread that comes is alone until a second thread comes. The second one waits until the
// first is outside. From then on no thread is alone.
class one_thread {
 public:
  // Treats every thread as one of several from the start. Otherwise a second thread might have to
  // wait for a call that needs other ranks.
  void expect_others() noexcept { several_.store(true, std::memory_order_relaxed); }
  bool has_been() const noexcept { return !several_.load(std::memory_order_relaxed); }

  // While it lives and is_alone() is true, no other thread is inside. May be nested.
  class inside {
   public:
    // null: does nothing, and is_alone() is false
    explicit inside(one_thread* all) : all_(all && all->enter() ? all : nullptr) {}
    inside(inside const&) = delete;
    inside& operator=(inside const&) = delete;
    ~inside() {
      if (all_) all_->leave();
    }
    bool is_alone() const noexcept { return all_ != nullptr; }

   private:
    one_thread* all_;
  };

 private:
  static void const* me() noexcept {
    static thread_local char here;
    return &here;
  }

  bool enter() noexcept {
    void const* first = first_.load(std::memory_order_relaxed);
    if (!first && first_.compare_exchange_strong(first, me(), std::memory_order_relaxed))
      first = me();
    if (first == me()) {
      if (depth_ == 0) {
        if (several_.load(std::memory_order_relaxed)) return false;
        // Set before `several_` is read again. The second thread does the same in the other order,
        // so at least one of the two sees the other.
        inside_.store(true, std::memory_order_seq_cst);
        if (several_.load(std::memory_order_seq_cst)) {
          inside_.store(false, std::memory_order_release);
          return false;
        }
      }
      ++depth_;
      return true;
    }
    several_.store(true, std::memory_order_seq_cst);
    while (inside_.load(std::memory_order_seq_cst)) std::this_thread::yield();
    return false;
  }
  void leave() noexcept {
    if (--depth_ == 0) inside_.store(false, std::memory_order_release);
  }

  std::atomic<void const*> first_{nullptr};
  std::atomic<bool> inside_{false}, several_{false};
  int depth_ = 0;  // nesting of the first thread
};

}  // namespace argosy::detail
