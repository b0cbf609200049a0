// SPDX-License-Identifier: BSD-3-Clause
#include "allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> count{0};

void* try_allocate(std::size_t size) noexcept {
  ++count;
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate(std::size_t size) {
  if (void* p = try_allocate(size)) return p;
  throw std::bad_alloc();
}
}  // namespace

std::size_t argosy::allocations() { return count; }

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
// Replaced, too: the sanitizer's own would not fit the delete below.
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return try_allocate(size); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return try_allocate(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
