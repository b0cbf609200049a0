// Makes writes beyond the size limit of the process fail instead of killing it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <cstdint>

namespace argosy::detail {

// Returns RLIMIT_FSIZE, or the largest std::int64_t if there is no limit. Costs a system call.
std::int64_t size_limit() noexcept;

// True while this thread writes to a file of argosy. The handler of SIGXFSZ reads it.
extern constinit thread_local std::sig_atomic_t volatile is_writing;

class writing_now {
 public:
  writing_now() noexcept { is_writing = 1; }
  ~writing_now() { is_writing = 0; }
  writing_now(writing_now const&) = delete;
  writing_now& operator=(writing_now const&) = delete;
};

// Installs a handler of SIGXFSZ from the first heed to the last leave, unless the program has one.
// A call that reads the limit costs as much as a small write, and the limit may change at any time.
// In a write of argosy the handler does nothing, so the write returns EFBIG. Any other write of the
// program ends it, as it would without argosy.
void heed_size_signal() noexcept;
void leave_size_signal() noexcept;

// Blocks SIGXFSZ while it lives. Beyond the limit the kernel fails a call with EFBIG and sends that
// signal to the calling thread, whose default action ends the process. The signal mask belongs to
// the thread, so no setting of the program changes. Costs nothing if `end`, one beyond the last
// byte, is within the limit.
class size_limit_guard {
 public:
  size_limit_guard(std::int64_t end, std::int64_t limit) noexcept;
  ~size_limit_guard();
  size_limit_guard(size_limit_guard const&) = delete;
  size_limit_guard& operator=(size_limit_guard const&) = delete;

  // Stores the errno value of the call.
  void note(int error) noexcept;

 private:
  bool active_;
  bool pending_before_ = false;
  bool raised_ = false;
  sigset_t before_;
};

}  // namespace argosy::detail
