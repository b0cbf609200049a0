// The speed of noncontiguous reads and writes, local and collective, compared with the MPI
// library's own files and plain pread/pwrite.
// Run: mpiexec -n 2 build/release/bin/bench_patterns [--group collective] [--dir DIR]
//      [--benchmark_filter=vector/8/] [--help]
// The file is in the page cache. benchmarks/compare_patterns.sh runs the collective group against
// all other libraries that are installed.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <argosy/benchmark/ranks_case.hpp>

#include "../support/suite.hpp"
#include "check.hpp"
#include "choice_report.hpp"
#include "collective.hpp"
#include "collective_report.hpp"
#include "implementation.hpp"
#include "independent.hpp"
#include "independent_report.hpp"
#include "lists.hpp"
#include "options.hpp"
#include "origin.hpp"

namespace {

using namespace patterns;

using implementations = std::vector<std::unique_ptr<implementation>>;

// Makes the implementations. Throws usage_error.
implementations implementations_of(options const& o) {
  std::vector<std::string> names = o.implementations;
  if (names.empty() && o.collective) names = {"argosy", "mpi", "own", "limit"};
  if (names.empty()) names = {"argosy", "mpi", "posix"};
  implementations all;
  for (std::string const& name : names) {
    all.push_back(make_implementation(name, o.hints));
    // One that does not follow the pattern would write into its gaps; `own` needs all ranks.
    bool const alone = all.back() && all.back()->follows_the_pattern() && name != "own";
    if (!all.back() || (!o.collective && !alone))
      throw bench::usage_error(std::string("--impl needs names of argosy, argosy:POLICY, mpi, ") +
                               (o.collective ? "posix, own and limit" : "and posix") + ", not \"" +
                               name + "\"");
  }
  return all;
}

// The results of all cases. Rank 0 writes them to the CSV, too, if there is one.
struct book {
  std::vector<row> rows;        // independent group
  std::vector<measured> lines;  // collective group
  std::FILE* csv = nullptr;
};

// Opens the CSV on rank 0. Collective.
void open_csv(book& all, options const& o, int rank, std::vector<std::string> const& words) {
  if (o.csv.empty()) return;
  auto const origin = origin_of(MPI_COMM_WORLD, o.how.directory, words);
  if (rank != 0) return;
  all.csv = std::fopen(o.csv.c_str(), "w");
  if (!all.csv) fail(o.csv + " cannot be written");
  print_origin(all.csv, origin);
  o.collective ? print_collective_header(all.csv) : print_csv_header(all.csv);
}

// Registers a case. `body` runs all rounds, and returns the time of the first implementation.
template <class Body>
void enter(std::string const& name, Body const& body) {
  auto const run = [=](benchmark::State& state) {
    argosy::bench::ranks_case all(state, MPI_COMM_WORLD, name);
    double seconds = 0;
    while (!all.failed() && state.KeepRunning()) {
      all.prepare([&] { seconds = body(state); });
      state.SetIterationTime(seconds);
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

// Adds the ratio as a counter if it is known.
void count_ratio(benchmark::State& state, std::string const& name, double ratio) {
  if (ratio > 0) state.counters[name] = ratio;
}

void enter_independent(book& all, options const& o, implementations const& by, int ranks) {
  for (std::unique_ptr<pattern>& made : independent_patterns(ranks, o.most)) {
    std::shared_ptr<pattern> const p = std::move(made);
    for (operation op : {operation::read, operation::write})
      enter(full_name(*p, op), [&, p, op](benchmark::State& state) {
        row const r = run_independent(MPI_COMM_WORLD, *p, op, by, o.how);
        std::string const& first = r.results.front().implementation;
        count_ratio(state, "vs_mpi", r.ratio(first, "mpi"));
        count_ratio(state, "vs_posix", r.ratio(first, "posix"));
        state.SetBytesProcessed(r.bytes);
        if (all.csv) print_csv(all.csv, r);
        all.rows.push_back(r);
        return r.results.front().median;
      });
  }
}

void enter_collective(book& all, options const& o, implementations const& by, int ranks) {
  for (collective_case& c : collective_cases(ranks, o.files)) {
    auto const one = std::make_shared<collective_case const>(std::move(c));
    enter(full_name(*one), [&, one](benchmark::State& state) {
      std::vector<measured> const lines = run_collective(MPI_COMM_WORLD, *one, by, o.how);
      double seconds = 0;
      for (measured const& m : lines) {
        if (m.implementation != lines.front().implementation) continue;
        seconds += m.median;
        state.counters[m.op + "_s"] = m.median;
        count_ratio(state, m.op + "_vs_mpi", m.vs_mpi);
      }
      if (all.csv) print_collective(all.csv, lines);
      all.lines.insert(all.lines.end(), lines.begin(), lines.end());
      return seconds;
    });
  }
}

int run_merge(options const& o) try {
  std::vector<named_run> runs;
  for (auto const& [name, file] : o.merged) runs.push_back(read_collective(name, file));
  std::vector<measured> const lines = merge(runs);
  std::FILE* const csv = o.csv.empty() ? stdout : std::fopen(o.csv.c_str(), "w");
  if (!csv) fail(o.csv + " cannot be written");
  print_origin(csv, origins(runs));
  print_collective_header(csv);
  print_collective(csv, lines);
  if (csv != stdout) std::fclose(csv);
  print_collective_summary(o.csv.empty() ? stderr : stdout, lines, o.verbose);
  return 0;
} catch (
    std::exception const& e) {  // an error of files on this rank, for which no other rank waits
  std::fprintf(stderr, "bench_patterns: %s\n", e.what());
  return 1;
}

int run_check() {
  std::string const wrong = what_is_wrong(9);
  if (!wrong.empty()) std::fprintf(stderr, "bench_patterns: %s\n", wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

struct work {
  options o;
  implementations all;
};

int run_all(argosy::bench::session& ranks, work const& w, std::vector<std::string> const& words) {
  options const& o = w.o;
  if (o.check) return run_check();
  if (!o.merged.empty()) return run_merge(o);
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  book all;
  open_csv(all, o, ranks.rank(), words);
  (o.collective ? enter_collective : enter_independent)(all, o, w.all, count);
  int const status = bench::run_cases(ranks, [&](std::FILE* out, bench::results const&) {
    if (!o.collective) return print_summary(out, all.rows, o.verbose);
    print_collective_summary(out, all.lines, o.verbose);
    print_choices(out, all.lines);
  });
  if (all.csv) std::fclose(all.csv);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  // with the options of Google Benchmark
  std::vector<std::string> const words(argv + (argc > 0 ? 1 : 0), argv + argc);
  argosy::bench::session ranks(argc, argv, bench::print_help_of<usage>);
  if (!ranks.runs()) return ranks.status();
  int status = 0;
  auto const read = [](bench::arguments const& given) {
    options const o = options_from(given);
    return work{o, implementations_of(o)};
  };
  auto const w = bench::options_of(usage, argc, argv, status, read, ranks.rank() == 0);
  return w ? run_all(ranks, *w, words) : status;
}
