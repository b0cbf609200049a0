// Handles signals that end a program on a thread of their own, while other threads are in calls
// that cannot be interrupted.
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

// Blocks the signals in this thread and in threads that it starts, until let_signals_end(). Call it
// before MPI_Init, which may start threads.
inline void hold_signals() {
  sigset_t const set = ending_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}
inline void let_signals_end() {
  sigset_t const set = ending_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// Calls `f` when the first signal comes, on a thread of its own. `f` ends the process.
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
