// Implements io_threads.hpp: the threads on which a file's requests run.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/file/detail/state/io_threads.hpp>

namespace argosy::detail {

struct io_threads::pool {
  explicit pool(std::size_t n) : most(n) { threads.reserve(n); }
  ~pool() {
    {
      std::lock_guard const guard(mutex);
      closed = true;
    }
    more.notify_all();
    for (std::thread& t : threads) t.join();
  }

  void start(std::function<void()> work) {
    std::lock_guard const guard(mutex);
    queue.push_back(std::move(work));
    if (queue.size() > idle && threads.size() < most) try {
        threads.emplace_back([this] { run(); });
      } catch (std::system_error const&) {
        if (threads.empty()) {
          queue.pop_back();
          throw;
        }
        most = threads.size();  // the existing threads must suffice
      }
    more.notify_one();
  }

  void run() {
    std::unique_lock guard(mutex);
    for (;;) {
      ++idle;
      more.wait(guard, [this] { return closed || !queue.empty(); });
      --idle;
      if (queue.empty()) return;
      {
        std::function<void()> const work = std::move(queue.front());
        queue.pop_front();
        guard.unlock();
        work();
      }
      guard.lock();
    }
  }

  bool is_own_thread() const {
    return std::any_of(threads.begin(), threads.end(), [](std::thread const& t) {
      return t.get_id() == std::this_thread::get_id();
    });
  }

  std::mutex mutex;
  std::condition_variable more;
  std::deque<std::function<void()>> queue;
  std::size_t most, idle = 0;
  bool closed = false;
  std::vector<std::thread> threads;
};

io_threads::io_threads(std::int64_t count) {
  std::size_t const machine = std::max(1u, std::thread::hardware_concurrency());
  pool_ = std::make_unique<pool>(count > 0 ? static_cast<std::size_t>(count)
                                           : std::min<std::size_t>(machine, 4));
}

io_threads::~io_threads() {
  // The last reference to a file may be dropped by one of its own threads, which cannot wait for
  // itself.
  if (pool_->is_own_thread()) {
    pool* const last = pool_.release();
    try {
      std::thread([last] { delete last; }).detach();
    } catch (std::system_error const&) {  // the threads sleep until the process ends
    }
  }
}

void io_threads::start(std::function<void()> work) { pool_->start(std::move(work)); }

}  // namespace argosy::detail
