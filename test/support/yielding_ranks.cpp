// Preloaded to programs of MPICH whose ranks outnumber the processors. A waiting rank of MPICH
// polls for its whole time slice, and no setting of MPICH makes it yield. This library replaces the
// polling function of UCX, and yields after a while without progress. A reduction of four ranks on
// two processors then takes microseconds instead of milliseconds.
//   LD_PRELOAD=yielding_ranks.so mpiexec -n 4 ...
// Compiled with ARGOSY_SLEEPING_RANKS, it makes ranks of all MPI libraries sleep for 20 us where
// they would yield.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#ifdef ARGOSY_SLEEPING_RANKS
extern "C" int sched_yield() noexcept {
  // Without it, the kernel adds 50 us to each sleep of a thread.
  static thread_local bool const exact = ::prctl(PR_SET_TIMERSLACK, 1) == 0;
  static_cast<void>(exact);
  timespec const pause{0, 20'000};
  ::nanosleep(&pause, nullptr);
  return 0;
}
#endif

namespace {

using progress = unsigned (*)(void*);

// Python loads MPI in a scope of its own, so RTLD_NEXT does not find the function there.
progress real_progress() {
  void* found = ::dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (found == nullptr)
    found = ::dlsym(::dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
  return reinterpret_cast<progress>(found);
}

}  // namespace

extern "C" unsigned ucp_worker_progress(void* worker) {
  static progress const real = real_progress();
  thread_local int in_vain = 0;
  unsigned const done = real(worker);
  if (done != 0) {
    in_vain = 0;
  } else if (++in_vain == 50) {  // two running ranks need fewer polls to exchange a message
    in_vain = 0;
    ::sched_yield();
  }
  return done;
}
