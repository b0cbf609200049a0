// SPDX-License-Identifier: BSD-3-Clause
#include "contest.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "support/allocations.hpp"

namespace calls {
namespace {

// Counts instructions of this thread in user mode.
class instruction_counter {
 public:
  instruction_counter() {
    perf_event_attr what{};
    what.type = PERF_TYPE_HARDWARE;
    what.size = sizeof what;
    what.config = PERF_COUNT_HW_INSTRUCTIONS;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    descriptor_ = static_cast<int>(::syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
  }
  instruction_counter(instruction_counter const&) = delete;
  instruction_counter& operator=(instruction_counter const&) = delete;
  ~instruction_counter() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  // Returns -1 if unknown.
  std::int64_t now() const {
    std::int64_t n = 0;
    return descriptor_ >= 0 && ::read(descriptor_, &n, sizeof n) == sizeof n ? n : -1;
  }

 private:
  int descriptor_;
};

double slowest_ns(MPI_Comm comm, action const& one, std::int64_t calls) {
  // warms caches and predictors to their state in a row of such calls
  for (int i = 0; i < 16; ++i) one();
  MPI_Barrier(comm);
  double const start = MPI_Wtime();
  for (std::int64_t i = 0; i < calls; ++i) one();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds * 1e9 / static_cast<double>(calls);
}

}  // namespace

outcome run(MPI_Comm comm, entry const& e, std::int64_t calls, int rounds) {
  std::vector<double> raw, mpi, ours, above, ratio;
  for (int round = 0; round < rounds; ++round) {
    if (e.raw) raw.push_back(slowest_ns(comm, e.raw, calls));
    if (e.mpi) mpi.push_back(slowest_ns(comm, e.mpi, calls));
    ours.push_back(slowest_ns(comm, e.argosy, calls));
    if (e.raw) above.push_back(ours.back() - raw.back());
    if (e.mpi) ratio.push_back(mpi.back() / ours.back());
  }
  using bench::spread_of;
  outcome o{spread_of(raw), spread_of(mpi), spread_of(ours), spread_of(above), spread_of(ratio)};
  argosy::allocation_count const count;
  instruction_counter const counter;
  std::int64_t const before = counter.now();
  for (std::int64_t i = 0; i < calls; ++i) e.argosy();
  std::int64_t const after = counter.now();
  o.allocations = static_cast<double>(count.since()) / static_cast<double>(calls);
  if (before >= 0)
    o.instructions = static_cast<double>(after - before) / static_cast<double>(calls);
  return o;
}

}  // namespace calls
