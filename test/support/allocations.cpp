// SPDX-License-Identifier: BSD-3-Clause
#include "allocations.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>

#include <malloc.h>

namespace {
std::atomic<std::size_t> count{0}, now{0}, peak{0};
std::atomic<std::size_t> most{SIZE_MAX}, first_refused{0}, slow_from{SIZE_MAX},
    refused_number{SIZE_MAX};
std::atomic<bool> was_refused{false};

void* try_allocate(std::size_t size) noexcept {
  if (++count == refused_number) {
    most = now.load();
    was_refused = true;
    return nullptr;
  }
  void* const p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) return p;
  std::size_t const own = ::malloc_usable_size(p);
  // The sum is compared with the limit before it is stored. Otherwise a refused allocation would
  // count for a moment, and one of another thread that fits would be refused, too.
  std::size_t all = 0;
  for (std::size_t before = now;;) {
    all = before + own;
    if (all > most) {
      std::free(p);
      std::size_t none = 0;
      first_refused.compare_exchange_strong(none, all);
      return nullptr;
    }
    if (now.compare_exchange_weak(before, all)) break;
  }
  for (std::size_t seen = peak; seen < all && !peak.compare_exchange_weak(seen, all);) {
  }
  if (size >= slow_from) std::this_thread::sleep_for(std::chrono::microseconds(200));
  return p;
}
void release(void* p) noexcept {
  if (p != nullptr) now -= ::malloc_usable_size(p);
  std::free(p);
}

void* allocate(std::size_t size) {
  for (;;) {
    if (void* p = try_allocate(size)) return p;
    std::new_handler const handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void* allocate(std::size_t size, std::nothrow_t const&) noexcept try {
  return allocate(size);
} catch (std::bad_alloc const&) {
  return nullptr;
}
}  // namespace

std::size_t argosy::allocations() { return count; }

argosy::heap_peak::heap_peak() : start_(now) { peak = start_; }
std::size_t argosy::heap_peak::bytes() const { return peak - start_; }
std::size_t argosy::heap_peak::kept() const { return now - start_; }

argosy::scarce_memory::scarce_memory(std::size_t bytes) : start_(now) {
  first_refused = 0;
  most = start_ + bytes;
}
argosy::scarce_memory::~scarce_memory() { most = SIZE_MAX; }
std::size_t argosy::scarce_memory::first_need() const {
  return first_refused == 0 ? 0 : first_refused - start_;
}

argosy::refused_allocation::refused_allocation(std::size_t number) {
  was_refused = false;
  refused_number = count + number;
}
argosy::refused_allocation::~refused_allocation() {
  refused_number = SIZE_MAX;
  most = SIZE_MAX;
}
bool argosy::refused_allocation::happened() const { return was_refused; }

argosy::slow_memory::slow_memory(std::size_t least) { slow_from = least; }
argosy::slow_memory::~slow_memory() { slow_from = SIZE_MAX; }

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
// These are replaced, too, because memory of the sanitizer's own versions would not fit the delete
// below.
void* operator new(std::size_t size, std::nothrow_t const& n) noexcept { return allocate(size, n); }
void* operator new[](std::size_t size, std::nothrow_t const& n) noexcept {
  return allocate(size, n);
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
