// Implements memory_reserve.hpp by a handler of operator new. It comes before the handler of the
// program, if there is one.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/detail/memory_reserve.hpp>

#include <atomic>
#include <mutex>
#include <new>
#include <utility>

namespace argosy::detail {
namespace {

std::atomic<void*> reserve{nullptr};
std::atomic<std::new_handler> of_program{nullptr};
std::mutex giving_up;
unsigned times_given = 0;
thread_local unsigned times_seen = 0;
thread_local int calls = 0;  // collective calls of this thread
thread_local bool takes_back = false;

// Frees the reserve. Returns true if a new attempt may succeed. Another thread may have freed the
// reserve since this one failed.
bool there_is_more() {
  std::lock_guard const guard(giving_up);
  if (void* const kept = reserve.exchange(nullptr)) {
    ::operator delete(kept);
    ++times_given;
  }
  return std::exchange(times_seen, times_given) != times_given;
}

void give_up_reserve() {
  if (takes_back)
    // An allocation of the reserve itself must not free anything, neither the reserve nor memory of
    // the program.
    throw std::bad_alloc();
  if (calls > 0 && there_is_more()) return;
  if (std::new_handler const other = of_program) return other();
  throw std::bad_alloc();
}

}  // namespace

// Allocates the reserve again. If another thread is doing that, this thread waits for it.
bool memory_reserve::take_back() noexcept {
  if (reserve.load(std::memory_order_relaxed)) return true;
  std::lock_guard const guard(giving_up);
  if (reserve.load(std::memory_order_relaxed)) return true;
  takes_back = true;
  void* const more = ::operator new(bytes, std::nothrow);
  takes_back = false;
  reserve = more;
  return more != nullptr;
}

memory_reserve::memory_reserve() noexcept {
  if (std::get_new_handler() != give_up_reserve)
    if (auto const other = std::set_new_handler(give_up_reserve); other != give_up_reserve)
      of_program = other;
  take_back();
  ++calls;
}

memory_reserve::~memory_reserve() {
  --calls;
  take_back();
}

}  // namespace argosy::detail
