// Failures that were found after their call had returned: requests that were never waited for, and
// syncs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/error/agreement.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/error/failure.hpp>

namespace argosy::detail {

// Any thread, except for the functions of sync.
class late_failures {
 public:
  // Adds the failure of a request that was dropped, or of a split call that was not ended, for
  // `close` to report. Errors of other ranks are not added, because those ranks report them.
  void add(std::string_view call, agreement const& result) noexcept {
    failure const& own = result.own;
    bool const mine = !result && result.code != errc::error_on_another_rank;
    if (!mine) return;
    std::lock_guard const guard(mutex_);
    if (untold_) return;
    untold_.code = own ? own.code : result.cause;
    std::string const& why = own ? own.detail : result.detail;
    try {
      untold_.advice = own ? own.advice : result.advice;
      untold_.detail =
          std::string(call) + ", which nobody waited for, failed" + (why.empty() ? "" : ": ") + why;
    } catch (std::bad_alloc const&) {  // without memory, no text is stored
    }
  }
  failure take() {
    std::lock_guard const guard(mutex_);
    return std::exchange(untold_, {});
  }

  // The first sync that failed. Data written before it may be lost.
  failure const& of_sync() const noexcept { return sync_; }
  void keep_of_sync(failure f) { sync_ = std::move(f); }
  void forget_sync() { sync_ = {}; }
  // Returns true if a call has written since the last sync.
  bool was_written() const noexcept { return written_; }
  void write() noexcept {
    if (!written_.load(std::memory_order_relaxed)) written_ = true;
  }
  void begin_sync() noexcept { written_ = false; }

 private:
  std::mutex mutex_;
  failure untold_;
  failure sync_;
  std::atomic<bool> written_{false};
};

}  // namespace argosy::detail
