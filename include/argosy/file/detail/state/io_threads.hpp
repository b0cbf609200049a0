// Threads that access files and make no MPI calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace argosy::detail {

class io_threads {
 public:
  // Makes up to `count` threads, when there is work for them. 0: as many as the machine has
  // processors, but at most 4.
  explicit io_threads(std::int64_t count);
  // Waits until all work has ended.
  ~io_threads();
  // Gives work to a thread. Throws if not even one thread can be made; then the work is not done.
  void start(std::function<void()> work);

 private:
  struct pool;
  std::unique_ptr<pool> pool_;
};

}  // namespace argosy::detail
