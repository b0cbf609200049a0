// Implements measure.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace papers {

namespace {

// Returns all members that a program depends on, without those that only select a result.
std::string program_of(row const& r, paper_machine const& m) {
  return fmt::format("{} {} {} {}x{} {} {} {} {}{}{}l{} {} r{} {:x}", r.machine, r.software,
                     r.workload, r.nodes, r.per_node, r.bytes_per_task, r.transfer_bytes,
                     r.stripe_bytes, r.unique ? "u" : "", r.largeblock ? "l" : "",
                     r.max_acc ? fmt::format("a{}", *r.max_acc) : "", r.level, r.hints, r.release,
                     m.hash());
}

double rate_of(rates const& x, row const& r) {
  if (r.op == "write") return x.write;
  if (r.op == "read") return x.read;
  auto const found = x.others.find(r.op);
  if (found == x.others.end())
    throw std::invalid_argument(r.key + ": its program does not measure " + r.op);
  return found->second;
}

}  // namespace

paper_machine& laboratory::machine(std::string const& name) {
  auto const found = machines_.find(name);
  return found != machines_.end()
             ? found->second
             : machines_.emplace(name, load_paper_machine(directory_, name)).first->second;
}

result laboratory::measure(row const& r) {
  paper_machine const& m = machine(r.machine);
  workload_function const run = find_workload(r.workload);
  if (run == nullptr) throw std::invalid_argument("no such workload: " + r.workload);
  std::vector<rates>& all = done_[program_of(r, m)];
  while (static_cast<int>(all.size()) < repetitions_) {
    all.push_back(run({r, m, scale_, all.size() + 1, seconds_}));
    events_ += all.back().events;
  }
  double const n = static_cast<double>(all.size());
  result x;
  x.what = &r;
  x.parameters_hash = m.hash();
  double mean = 0, squares = 0, most = 0;
  for (rates const& one : all) {
    double const rate = rate_of(one, r);
    most = std::max(most, rate);
    mean += rate / n;
    squares += rate * rate;
    for (auto const& [name, value] : one.others) x.others[name] += value / n;
  }
  x.simulated = r.of_runs == statistic::most ? most : mean;
  if (all.size() > 1)
    x.simulated_sd = std::sqrt(std::max(0.0, (squares - n * mean * mean) / (n - 1)));
  if (r.workload == "beffio" && seconds_ < full_seconds) x.short_of = seconds_;
  return x;
}

double laboratory::measure_as(row r, std::string const& software) {
  if (r.workload == "serial_tile" || r.workload == "gathered_tile") return 0;
  r.software = software;
  // Hints for agents have no effect on other software, so one run is enough for all of them.
  if (!find_software(software)->agents) {
    r.stripe_bytes = 0;
    r.largeblock = false;
  }
  return measure(r).simulated;
}

}  // namespace papers
