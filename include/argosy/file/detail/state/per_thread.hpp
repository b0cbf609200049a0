// A value of each thread that uses a file, for what a call leaves behind and hands out by
// reference.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace argosy::detail {

// Any thread. Moving is for one.
template <class T>
class per_thread {
 public:
  per_thread() = default;
  per_thread(per_thread&& other) noexcept
      : values_(std::move(other.values_)),
        any_(other.any_.exchange(false, std::memory_order_relaxed)) {}
  per_thread& operator=(per_thread&& other) noexcept {
    values_ = std::move(other.values_);
    any_.store(other.any_.exchange(false, std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }

  // Of this thread: stays until this thread sets or clears its own. Of a thread that has none: an
  // empty one.
  T const& get() const {
    static T const none{};
    if (!any_.load(std::memory_order_relaxed)) return none;
    std::lock_guard const guard(mutex_);
    auto const at = values_.find(std::this_thread::get_id());
    return at == values_.end() ? none : at->second;
  }
  T const& set(T value) {
    std::lock_guard const guard(mutex_);
    any_.store(true, std::memory_order_relaxed);
    return values_[std::this_thread::get_id()] = std::move(value);
  }
  // A look at one word where no thread has any.
  void clear() {
    if (!any_.load(std::memory_order_relaxed)) return;
    std::lock_guard const guard(mutex_);
    values_.erase(std::this_thread::get_id());
    if (values_.empty()) any_.store(false, std::memory_order_relaxed);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::thread::id, T> values_;
  std::atomic<bool> any_{false};
};

}  // namespace argosy::detail
