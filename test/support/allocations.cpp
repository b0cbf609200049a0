// SPDX-License-Identifier: BSD-3-Clause
#include "allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {
std::atomic<std::size_t> count{0}, now{0}, peak{0};

void* try_allocate(std::size_t size) noexcept {
  ++count;
  void* const p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) return p;
  std::size_t const all = now += ::malloc_usable_size(p);
  for (std::size_t seen = peak; seen < all && !peak.compare_exchange_weak(seen, all);) {
  }
  return p;
}
void release(void* p) noexcept {
  if (p != nullptr) now -= ::malloc_usable_size(p);
  std::free(p);
}

void* allocate(std::size_t size) {
  if (void* p = try_allocate(size)) return p;
  throw std::bad_alloc();
}
}  // namespace

std::size_t argosy::allocations() { return count; }

argosy::heap_peak::heap_peak() : start_(now) { peak = start_; }
std::size_t argosy::heap_peak::bytes() const { return peak - start_; }

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
// Replaced, too: the sanitizer's own would not fit the delete below.
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return try_allocate(size); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return try_allocate(size); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
