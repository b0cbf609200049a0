// What failed in the background and was told to nobody.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

// Of one rank's open file, for its close: of requests that were dropped, and of a split call that has not ended. Any thread.
class losses {
 public:
  // Errors of other ranks are theirs to tell.
  void add(std::string_view call, agreement const& result) noexcept {
    failure const& own = result.own;
    bool const mine = !result && result.code != errc::error_on_another_rank;
    if (!mine) return;
    std::lock_guard const guard(mutex_);
    if (first_) return;
    first_.code = own ? own.code : result.cause;
    std::string const& why = own ? own.detail : result.detail;
    try {
      first_.detail = std::string(call) + ", which nobody waited for, failed" + (why.empty() ? "" : ": ") + why;
    } catch (std::bad_alloc const&) {  // then without words
    }
  }
  failure take() {
    std::lock_guard const guard(mutex_);
    return std::exchange(first_, {});
  }

 private:
  std::mutex mutex_;
  failure first_;
};

}  // namespace argosy::detail
