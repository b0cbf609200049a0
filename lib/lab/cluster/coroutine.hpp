// Stackful coroutines on Boost.Context, announced to the address sanitizer, each with its own
// exceptions in flight.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace argosy::lab::detail {

// Stacks of one size, allocated in slabs. Returned stacks are used first.
class stack_pool {
 public:
  explicit stack_pool(std::size_t bytes);
  ~stack_pool();
  stack_pool(stack_pool const&) = delete;
  stack_pool& operator=(stack_pool const&) = delete;

  std::byte* take();  // returns the lowest byte
  void give(std::byte* stack) { free_.push_back(stack); }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct slab {
    void* first;
    std::size_t bytes;
  };
  std::size_t bytes_, page_;
  std::vector<slab> slabs_;
  std::vector<std::byte*> free_;
  std::size_t fresh_ = 0;  // stacks of the last slab that were never used
  std::size_t guards_ = 0;
};

// Runs `body`, which does not throw, on a stack of the pool. The scheduler resumes it, and gets
// control back when it suspends or ends.
class coroutine {
 public:
  coroutine(stack_pool& pool, std::function<void()> body);
  ~coroutine();  // only before it has begun, or after it has ended
  coroutine(coroutine const&) = delete;
  coroutine& operator=(coroutine const&) = delete;

  void resume();   // from outside
  void suspend();  // from inside
  bool done() const noexcept;

 private:
  struct context;
  std::unique_ptr<context> context_;
};

}  // namespace argosy::lab::detail
