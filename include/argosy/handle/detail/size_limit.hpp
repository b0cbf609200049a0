// Writes beyond the size limit of the process fail, and do not kill it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <cstdint>

namespace argosy::detail {

// RLIMIT_FSIZE; the largest std::int64_t if there is no limit. Costs a system call.
std::int64_t size_limit() noexcept;

// Blocks SIGXFSZ while it lives. Beyond the limit the kernel fails a call with EFBIG and sends that signal to the calling
// thread; its default action ends the process; the signal mask belongs to the thread, so nothing that the rest of
// the program has set is touched. Costs nothing if `end`, one beyond the last byte, is within the limit.
class size_limit_guard {
 public:
  size_limit_guard(std::int64_t end, std::int64_t limit) noexcept;
  ~size_limit_guard();
  size_limit_guard(size_limit_guard const&) = delete;
  size_limit_guard& operator=(size_limit_guard const&) = delete;

  // Call it with the errno value of the call.
  void note(int error) noexcept;

 private:
  bool active_;
  bool pending_before_ = false;
  bool raised_ = false;
  sigset_t before_;
};

}  // namespace argosy::detail
