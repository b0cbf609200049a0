// A value for each thread that uses a file. A call stores a result in it, and returns it by
// reference.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace argosy::detail {

// Any thread, except for moving.
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

  // Returns the calling thread's value; valid until that thread sets or clears it. Empty if the
  // thread has set none.
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
  // Clears the calling thread's value. Costs one look at a word if no thread has a value.
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
