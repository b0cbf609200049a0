// A suite: cases of Google Benchmark on all ranks, options of its own, and tables at the end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <vector>

#include <benchmark/benchmark.h>

#include <argosy/benchmark/detail/relay.hpp>
#include <argosy/benchmark/mpi_main.hpp>

#include "google.hpp"
#include "options.hpp"

namespace bench {

// Reports in the form that --benchmark_format says, and stores the runs that did not fail.
class collecting final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const& context) override { return to_->ReportContext(context); }
  void ReportRuns(results const& runs) override {
    for (Run const& r : runs)
      if (r.run_type == Run::RT_Iteration && !argosy::bench::detail::has_failed(r))
        all_.push_back(r);
    to_->ReportRuns(runs);
  }
  void Finalize() override { to_->Finalize(); }

  results const& all() const { return all_; }
  // Returns the stream for tables, which do not mix with JSON.
  std::FILE* tables() const {
    return dynamic_cast<benchmark::ConsoleReporter*>(to_) != nullptr ? stdout : stderr;
  }

 private:
  benchmark::BenchmarkReporter* to_ = benchmark::CreateDefaultDisplayReporter();
  results all_;
};

// Prints the options of Google Benchmark, and those of the program.
template <program const& Usage>
void print_help_of() {
  benchmark::PrintDefaultHelp();
  std::fputs(help_of(Usage).c_str(), stdout);
}

// Runs the cases, and returns the status of the program. Collective. Rank 0 calls `print` with the
// runs, if there are any.
template <class Print>
int run_cases(argosy::bench::session& all, Print const& print) {
  collecting reporter;
  int const status = all.run(&reporter);
  if (!reporter.all().empty()) print(reporter.tables(), reporter.all());
  return status;
}

// Runs a suite: `read` returns the options of the program, and `enter` registers the cases. For
// `print` see run_cases(). Collective.
template <program const& Usage, class Read, class Enter, class Print>
int run_suite(int argc, char** argv, Read const& read, Enter const& enter, Print const& print) {
  argosy::bench::session all(argc, argv, print_help_of<Usage>);  // removes Google Benchmark's own
  if (!all.runs()) return all.status();
  int status = 0;
  auto const given = options_of(Usage, argc, argv, status, read, all.rank() == 0);
  if (!given) return status;
  enter(*given);
  return run_cases(all, [&](std::FILE* out, results const& runs) { print(out, *given, runs); });
}

}  // namespace bench
