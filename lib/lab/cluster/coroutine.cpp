// Implements coroutine.hpp: stacks, and the switch between them.
// SPDX-License-Identifier: BSD-3-Clause
#include "coroutine.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>
#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define ARGOSY_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARGOSY_ASAN
#endif
#endif
#ifdef ARGOSY_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace argosy::lab::detail {
namespace {

// The state of exceptions that the C++ runtime has for each thread; here, for each coroutine.
struct exceptions_in_flight {
  void* caught = nullptr;
  unsigned uncaught = 0;

  void swap() noexcept {
    auto* const now = reinterpret_cast<exceptions_in_flight*>(abi::__cxa_get_globals());
    std::swap(caught, now->caught);
    std::swap(uncaught, now->uncaught);
  }
};

constexpr std::size_t slab_stacks = 64;

// A guard page splits a mapping in two. A process may have some 65,000 mappings, and the shared
// memory of virtual nodes needs many of them.
constexpr std::size_t most_guards = 8192;

}  // namespace

stack_pool::stack_pool(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  bytes_ = (std::max<std::size_t>(bytes, 16384) + page_ - 1) / page_ * page_;
}

stack_pool::~stack_pool() {
  for (slab const& s : slabs_) {
#ifdef ARGOSY_ASAN
    __asan_unpoison_memory_region(s.first, s.bytes);
#endif
    munmap(s.first, s.bytes);
  }
}

std::byte* stack_pool::take() {
  std::size_t const each = bytes_ + page_;
  if (free_.empty() && fresh_ == 0) {
    slab s{nullptr, slab_stacks * each};
    s.first = mmap(nullptr, s.bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (s.first == MAP_FAILED) throw std::bad_alloc();
    slabs_.push_back(s);
    madvise(s.first, s.bytes, MADV_NOHUGEPAGE);
    fresh_ = slab_stacks;
  }
  if (free_.empty()) {
    std::byte* const guard = static_cast<std::byte*>(slabs_.back().first) + --fresh_ * each;
    if (guards_ < most_guards && mprotect(guard, page_, PROT_NONE) == 0) ++guards_;
    free_.push_back(guard + page_);
  }
  std::byte* const stack = free_.back();
  free_.pop_back();
#ifdef ARGOSY_ASAN
  __asan_unpoison_memory_region(stack, bytes_);
#endif
  return stack;
}

struct coroutine::context {
  context(stack_pool& p, std::function<void()> b) : pool(p), body(std::move(b)) {}

  struct allocator {
    context* self;
    boost::context::stack_context allocate() {
      boost::context::stack_context s;
      s.size = self->pool.bytes();
      s.sp = self->stack + s.size;
      return s;
    }
    // the stack goes back to the pool with the coroutine
    void deallocate(boost::context::stack_context&) noexcept {}
  };

  stack_pool& pool;
  std::function<void()> body;
  std::byte* stack = nullptr;
  bool done = false;
  boost::context::fiber inside, outside;
  exceptions_in_flight exceptions;
#ifdef ARGOSY_ASAN
  void* fake_inside = nullptr;
  void* fake_outside = nullptr;
  void const* outside_bottom = nullptr;
  std::size_t outside_bytes = 0;
#endif

  void entered() {
#ifdef ARGOSY_ASAN
    __sanitizer_finish_switch_fiber(fake_inside, &outside_bottom, &outside_bytes);
#endif
  }
  void leave(bool last) {
#ifdef ARGOSY_ASAN
    __sanitizer_start_switch_fiber(last ? nullptr : &fake_inside, outside_bottom, outside_bytes);
#else
    (void)last;
#endif
  }
};

coroutine::coroutine(stack_pool& pool, std::function<void()> body)
    : context_(std::make_unique<context>(pool, std::move(body))) {}

coroutine::~coroutine() = default;

bool coroutine::done() const noexcept { return context_->done; }

void coroutine::resume() {
  context& c = *context_;
  if (!c.stack) {
    c.stack = c.pool.take();
    c.inside = boost::context::fiber(std::allocator_arg, context::allocator{&c},
                                     [&c](boost::context::fiber&& from) {
                                       c.outside = std::move(from);
                                       c.entered();
                                       c.body();
                                       c.done = true;
                                       c.leave(true);
                                       return std::move(c.outside);
                                     });
  }
  c.exceptions.swap();
#ifdef ARGOSY_ASAN
  __sanitizer_start_switch_fiber(&c.fake_outside, c.stack, c.pool.bytes());
#endif
  c.inside = std::move(c.inside).resume();
#ifdef ARGOSY_ASAN
  __sanitizer_finish_switch_fiber(c.fake_outside, nullptr, nullptr);
#endif
  c.exceptions.swap();
  if (c.done) {
    c.body = nullptr;
    c.pool.give(std::exchange(c.stack, nullptr));
  }
}

void coroutine::suspend() {
  context& c = *context_;
  c.leave(false);
  c.outside = std::move(c.outside).resume();
  c.entered();
}

}  // namespace argosy::lab::detail
