// The cost of one small call, compared with its system call and with the MPI library's own file.
// Run: mpiexec -n 2 build/release/bin/bench_calls [--benchmark_filter=read_at/8/] [--dir DIR]
//      [--rounds N]
// The file is in the page cache. Ranks use blocks of their own. Times are those of the slowest
// rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <benchmark/benchmark.h>

#include <argosy/benchmark/mpi_main.hpp>

#include "../support/google.hpp"
#include "../support/options.hpp"
#include "cost.hpp"
#include "rows.hpp"
#include "table.hpp"

namespace {

constexpr bench::option_info table[] = {
    {"--dir", "DIR", "where the file is made (default: /dev/shm)"},
    {"--rounds", "N", "of each call (default: 41)"},
};
constexpr bench::program usage{
    "bench_calls",
    "What one small call costs beside its system call and beside the MPI "
    "library's own file.",
    table};

void help() {
  benchmark::PrintDefaultHelp();
  std::fputs(bench::help_of(usage).c_str(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
  argosy::bench::session all(argc, argv, help);  // which removes the options of Google Benchmark
  if (!all.runs()) return all.status();
  int status = 0;
  auto const read = [](bench::arguments const& given) {
    return calls::setting{given.value("--dir", "/dev/shm"), given.small_number("--rounds", 41, 1)};
  };
  auto const how = bench::options_of(usage, argc, argv, status, read, all.rank() == 0);
  if (!how) return status;
  calls::enter_all(*how);
  bench::collecting<benchmark::ConsoleReporter> reporter(benchmark::ConsoleReporter::OO_None);
  status = all.run(&reporter);
  if (all.rank() == 0) calls::print_table(stdout, reporter.all());
  return calls::wrong_bytes() ? 1 : status;
}
