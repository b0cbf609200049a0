// Staging memory for calls of several threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <argosy/exchange/detail/staging.hpp>
#include <argosy/file/detail/state/short_lock.hpp>

namespace argosy::detail {

// The first call gets the first buffer, always the same one, for one exchange. Concurrent calls get
// spare buffers. All buffers are kept for later calls.
class staging_pool {
 public:
  class lease {
   public:
    explicit lease(staging_pool& from) : pool_(from), first_(from.first_is_used_.try_lock()) {
      if (!first_) other_ = from.spare();
    }
    lease(lease const&) = delete;
    lease& operator=(lease const&) = delete;
    ~lease() {
      if (first_)
        pool_.first_is_used_.unlock();
      else
        pool_.give_back(std::move(other_));
    }
    staging& get() noexcept { return first_ ? pool_.first_ : *other_; }

   private:
    staging_pool& pool_;
    bool first_;
    std::unique_ptr<staging> other_;
  };

 private:
  std::unique_ptr<staging> spare() {
    std::lock_guard const guard(mutex_);
    std::unique_ptr<staging> found;
    if (spares_.empty()) {
      spares_.reserve(lent_ + 1);  // giving back must not need memory
      found = std::make_unique<staging>();
    } else {
      found = std::move(spares_.back());
      spares_.pop_back();
    }
    ++lent_;
    return found;
  }
  void give_back(std::unique_ptr<staging> s) noexcept {
    std::lock_guard const guard(mutex_);
    --lent_;
    spares_.push_back(std::move(s));
  }

  staging first_;
  short_lock first_is_used_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<staging>> spares_;
  std::size_t lent_ = 0;
};

}  // namespace argosy::detail
