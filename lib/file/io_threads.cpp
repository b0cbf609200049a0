// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <thread>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <argosy/file/detail/io_threads.hpp>

namespace argosy::detail {

struct io_threads::pool {
  explicit pool(std::size_t n) : threads(n) {}
  ~pool() { threads.join(); }
  boost::asio::thread_pool threads;
};

io_threads::io_threads(std::int64_t count) {
  std::size_t const machine = std::max(1u, std::thread::hardware_concurrency());
  pool_ = std::make_unique<pool>(count > 0 ? static_cast<std::size_t>(count) : std::min<std::size_t>(machine, 4));
}

io_threads::~io_threads() {
  // The last to let go of a file may be its own thread, which cannot wait for itself.
  if (pool_->threads.get_executor().running_in_this_thread()) std::thread([last = std::move(pool_)] {}).detach();
}

void io_threads::start(std::function<void()> work) { boost::asio::post(pool_->threads, std::move(work)); }

}  // namespace argosy::detail
