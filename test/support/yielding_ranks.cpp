// Preloaded to programs of MPICH whose ranks outnumber the processors: a rank that waits asks for progress for its whole time
// slice, and nothing that MPICH reads makes it give way. Here it gives way when there was none for a while, by the function
// of UCX that it asks on its way; a reduction of four ranks on two processors takes microseconds instead of milliseconds.
//   LD_PRELOAD=yielding_ranks.so mpiexec -n 4 ...
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker) {
  using function = unsigned (*)(void*);
  static auto const real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "ucp_worker_progress"));
  thread_local int in_vain = 0;
  unsigned const done = real(worker);
  if (done != 0) {
    in_vain = 0;
  } else if (++in_vain == 50) {  // what two ranks that run need to meet is less
    in_vain = 0;
    ::sched_yield();
  }
  return done;
}
