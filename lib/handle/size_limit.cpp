// Implements handle/detail/size_limit.hpp: RLIMIT_FSIZE and the signal SIGXFSZ.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/size_limit.hpp>

#include <pthread.h>
#include <sys/resource.h>

#include <cerrno>
#include <ctime>
#include <limits>
#include <mutex>

namespace argosy::detail {

namespace {

sigset_t only_file_size() noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

void on_size_signal(int) {
  if (is_writing) return;
  ::signal(SIGXFSZ, SIG_DFL);
  ::raise(SIGXFSZ);  // delivered when the handler returns
}

std::mutex heeding;
int heeded = 0;

// Replaces `now` by `wanted`, but never a handler of the program.
void replace_handler(void (*now)(int), void (*wanted)(int)) noexcept {
  struct sigaction set{};
  if (::sigaction(SIGXFSZ, nullptr, &set) != 0 || (set.sa_flags & SA_SIGINFO) != 0 ||
      set.sa_handler != now)
    return;
  set = {};
  set.sa_handler = wanted;
  set.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&set.sa_mask);
  ::sigaction(SIGXFSZ, &set, nullptr);
}

}  // namespace

constinit thread_local std::sig_atomic_t volatile is_writing = 0;

void heed_size_signal() noexcept {
  std::lock_guard const guard(heeding);
  ++heeded;
  replace_handler(SIG_DFL, on_size_signal);
}

void leave_size_signal() noexcept {
  std::lock_guard const guard(heeding);
  if (--heeded == 0) replace_handler(on_size_signal, SIG_DFL);
}

std::int64_t size_limit() noexcept {
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return none;
  return limit.rlim_cur > static_cast<rlim_t>(none) ? none
                                                    : static_cast<std::int64_t>(limit.rlim_cur);
}

size_limit_guard::size_limit_guard(std::int64_t end, std::int64_t limit) noexcept
    : active_(end > limit) {
  if (!active_) return;
  sigset_t const file_size = only_file_size();
  ::pthread_sigmask(SIG_BLOCK, &file_size, &before_);
  // A signal that is already pending has another cause, and must be delivered. A signal that was
  // not blocked is not pending.
  sigset_t pending;
  pending_before_ = sigismember(&before_, SIGXFSZ) == 1 && ::sigpending(&pending) == 0 &&
                    sigismember(&pending, SIGXFSZ) == 1;
}

void size_limit_guard::note(int error) noexcept { raised_ = error == EFBIG; }

size_limit_guard::~size_limit_guard() {
  if (!active_) return;
  int const saved = errno;
  if (raised_ && !pending_before_) {
    sigset_t const file_size = only_file_size();
    timespec const now{};
    while (::sigtimedwait(&file_size, nullptr, &now) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = saved;
}

}  // namespace argosy::detail
