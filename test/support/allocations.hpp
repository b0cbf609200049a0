// Counts heap allocations, and their bytes: every operator new of a test that links
// argosy_test_allocations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace argosy {

// Allocations of this process so far.
std::size_t allocations();

// Bytes that were allocated since this was made, beyond those that were then: the most at a time,
// and what there is still. One at a time.
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

// While it lives, this process may allocate so many bytes beyond what it has.
class scarce_memory {
 public:
  explicit scarce_memory(std::size_t bytes);
  ~scarce_memory();
  scarce_memory(scarce_memory const&) = delete;
  scarce_memory& operator=(scarce_memory const&) = delete;
  // How many bytes the first allocation that was refused would have taken; 0: there was none.
  std::size_t first_need() const;

 private:
  std::size_t start_;
};

// While it lives, one allocation of this process is refused, the `number`-th from now on, and those
// behind it for which there is no more memory than there was then. One at a time, and none beside a
// scarce_memory.
class refused_allocation {
 public:
  explicit refused_allocation(std::size_t number);
  ~refused_allocation();
  refused_allocation(refused_allocation const&) = delete;
  refused_allocation& operator=(refused_allocation const&) = delete;
  // True once it was refused.
  bool happened() const;
};

// While one lives, operator new waits a moment with the memory in hand, before it gives so many
// bytes or more to whoever asked.
class slow_memory {
 public:
  explicit slow_memory(std::size_t least);
  ~slow_memory();
  slow_memory(slow_memory const&) = delete;
  slow_memory& operator=(slow_memory const&) = delete;
};

}  // namespace argosy
