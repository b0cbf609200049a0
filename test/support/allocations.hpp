// Counts the heap allocations of a test and their bytes: every operator new of a test that links
// argosy_test_allocations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace argosy {

// Returns the number of allocations of this process so far.
std::size_t allocations();

// Measures the bytes that have been allocated since this object was made, beyond those allocated
// then: the highest number at any time, and the present one. Only one may exist at a time.
class heap_peak {
 public:
  heap_peak();
  std::size_t bytes() const;
  std::size_t kept() const;

 private:
  std::size_t start_;
};

class allocation_count {
 public:
  allocation_count() : start_(allocations()) {}
  std::size_t since() const { return allocations() - start_; }

 private:
  std::size_t start_;
};

// Limits this process, while the object lives, to `bytes` allocated bytes more than it has now.
class scarce_memory {
 public:
  explicit scarce_memory(std::size_t bytes);
  ~scarce_memory();
  scarce_memory(scarce_memory const&) = delete;
  scarce_memory& operator=(scarce_memory const&) = delete;
  // Returns the number of bytes beyond the start that the first refused allocation would have led
  // to; 0 if none was refused.
  std::size_t first_need() const;

 private:
  std::size_t start_;
};

// Refuses one allocation of this process while the object lives: the `number`-th from now on. Later
// allocations are refused if they need more memory than was allocated at that moment. Only one may
// exist at a time, and no scarce_memory at the same time.
class refused_allocation {
 public:
  explicit refused_allocation(std::size_t number);
  ~refused_allocation();
  refused_allocation(refused_allocation const&) = delete;
  refused_allocation& operator=(refused_allocation const&) = delete;
  // Returns true if the allocation was refused.
  bool happened() const;
};

// Makes operator new wait a moment, while the object lives, before it returns a block of `least`
// bytes or more.
class slow_memory {
 public:
  explicit slow_memory(std::size_t least);
  ~slow_memory();
  slow_memory(slow_memory const&) = delete;
  slow_memory& operator=(slow_memory const&) = delete;
};

}  // namespace argosy
