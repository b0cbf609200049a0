// Signals that end a program: told to a thread, while others are in calls that nobody can
// interrupt.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

namespace beffio {

inline sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int const s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, s);
  return set;
}

// From here on until `restore`, in this thread and in those that it starts: before MPI_Init, which
// may start some.
inline void hold_signals() {
  sigset_t const set = ending_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}
inline void let_signals_end() {
  sigset_t const set = ending_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// Calls `f` with the first signal that comes, on a thread of its own. `f` ends the process.
class interruption {
 public:
  explicit interruption(std::function<void(int)> f)
      : thread_([this, f = std::move(f)] {
          sigset_t const set = ending_signals();
          int signal = 0;
          if (sigwait(&set, &signal) == 0 && !over_) f(signal);
        }) {}
  interruption(interruption const&) = delete;
  interruption& operator=(interruption const&) = delete;
  ~interruption() {
    over_ = true;
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace beffio
