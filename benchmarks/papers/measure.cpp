// Implements measure.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace papers {

namespace {

// Whatever a program depends on, but for what of it is measured.
std::string program_of(row const& r, paper_machine const& m) {
  return fmt::format("{} {} {} {}x{} {} {} {} {}{}{}l{} {:x}", r.machine, r.software, r.workload, r.nodes, r.per_node,
                     r.bytes_per_task, r.transfer_bytes, r.stripe_bytes, r.unique ? "u" : "", r.largeblock ? "l" : "",
                     r.max_acc ? fmt::format("a{}", *r.max_acc) : "", r.level, m.hash());
}

}  // namespace

paper_machine& laboratory::machine(std::string const& name) {
  auto const found = machines_.find(name);
  return found != machines_.end() ? found->second
                                  : machines_.emplace(name, load_paper_machine(directory_, name)).first->second;
}

result laboratory::measure(row const& r) {
  paper_machine const& m = machine(r.machine);
  workload_function const run = find_workload(r.workload);
  if (run == nullptr) throw std::invalid_argument("no such workload: " + r.workload);
  std::vector<rates>& all = done_[program_of(r, m)];
  while (static_cast<int>(all.size()) < repetitions_) {
    all.push_back(run({r, m, scale_, all.size() + 1}));
    events_ += all.back().events;
  }
  double sum = 0, squares = 0, most = 0;
  for (rates const& x : all) {
    double const rate = r.is_write ? x.write : x.read;
    most = std::max(most, rate);
    sum += rate;
    squares += rate * rate;
  }
  double const n = static_cast<double>(all.size()), mean = sum / n;
  double const sd = all.size() > 1 ? std::sqrt(std::max(0.0, (squares - n * mean * mean) / (n - 1))) : 0;
  return {&r, r.of_runs == statistic::most ? most : mean, sd, m.hash()};
}

double laboratory::measure_as(row r, std::string const& software) {
  if (r.workload == "serial_tile" || r.workload == "gathered_tile") return 0;
  r.software = software;
  return measure(r).simulated;
}

}  // namespace papers
