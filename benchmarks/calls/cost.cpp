// SPDX-License-Identifier: BSD-3-Clause
#include "cost.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

#include <argosy/world/mpi.hpp>

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

// Returns the spread in ns.
spread in_ns(std::vector<double> const& seconds) {
  spread const s = argosy::bench::spread_of(seconds);
  return {s.low * 1e9, s.median * 1e9, s.high * 1e9};
}

}  // namespace

outcome run(MPI_Comm comm, entry const& e, std::int64_t calls, int rounds) {
  constexpr int calls_before = 16;
  argosy::bench::contest c(argosy::bench::slowest_of(argosy::mpi(comm), calls_before));
  c.enter("raw", e.raw, calls);
  c.enter("mpi", e.mpi, calls);
  c.enter("argosy", e.argosy, calls);
  for (int round = 0; round < rounds; ++round) c.round();
  std::vector<double> const &raw = c.seconds("raw"), &ours = c.seconds("argosy");
  std::vector<double> above;
  for (std::size_t k = 0; k < raw.size(); ++k) above.push_back(ours[k] - raw[k]);
  outcome o{in_ns(raw), in_ns(c.seconds("mpi")), in_ns(ours), in_ns(above),
            c.ratio("argosy", "mpi")};
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
