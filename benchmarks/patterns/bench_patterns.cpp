// The speed of noncontiguous reads and writes, local and collective, compared with the MPI
// library's own files and plain pread/pwrite.
// Run: mpiexec -n 2 build/release/bin/bench_patterns [--group collective] [--dir DIR]
//      [--pattern vector/8/] [--help]
// The file is in the page cache. benchmarks/compare_patterns.sh runs the collective group against
// all other libraries that are installed.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "../support/result_files.hpp"
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

// The output of one rank for people.
class teller {
 public:
  teller(options const& o, bool speaks) : lists_(o.list), speaks_(speaks) {
    if (speaks && !o.csv.empty()) csv_ = std::fopen(o.csv.c_str(), "w");
    if (!csv_) fail(o.csv + " cannot be written");
  }
  ~teller() {
    if (csv_ != stdout) std::fclose(csv_);
  }
  bool speaks() const { return speaks_ && !lists_; }
  std::FILE* csv() const { return csv_; }
  // Returns a stream other than that of the CSV.
  std::FILE* table() const { return csv_ == stdout ? stderr : stdout; }
  // Returns true if the row is to be run.
  bool begins(std::string const& name) {
    if (lists_ && speaks_) std::puts(name.c_str());
    if (speaks()) bench::say(name);
    return !lists_;
  }
  void ends() const {
    if (speaks()) bench::say("");
  }

 private:
  bool lists_, speaks_;
  std::FILE* csv_ = stdout;
};

// Returns the number of rows.
std::size_t run_independent_group(options const& o, implementations const& all, int ranks,
                                  teller& tell) {
  if (tell.speaks()) print_csv_header(tell.csv());
  std::vector<row> rows;
  std::size_t chosen = 0;
  for (auto const& p : independent_patterns(ranks, o.most))
    for (operation op : {operation::read, operation::write}) {
      std::string const name = full_name(*p, op);
      if (name.find(o.filter) == name.npos) continue;
      ++chosen;
      if (!tell.begins(name)) continue;
      rows.push_back(run_independent(MPI_COMM_WORLD, *p, op, all, o.how));
      tell.ends();
      if (tell.speaks()) print_csv(tell.csv(), rows.back());
    }
  if (tell.speaks() && chosen > 0) print_summary(tell.table(), rows, o.verbose);
  return chosen;
}

std::size_t run_collective_group(options const& o, implementations const& all, int ranks,
                                 teller& tell) {
  if (tell.speaks()) print_collective_header(tell.csv());
  std::vector<measured> lines;
  std::size_t chosen = 0;
  std::vector<collective_case> const cases = collective_cases(ranks, o.files);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::string const name = full_name(cases[i]);
    if (name.find(o.filter) == name.npos) continue;
    ++chosen;
    if (!tell.begins(o.list ? name
                            : std::to_string(i + 1) + " of " + std::to_string(cases.size()) + ": " +
                                  name))
      continue;
    std::vector<measured> const row = run_collective(MPI_COMM_WORLD, cases[i], all, o.how);
    tell.ends();
    if (tell.speaks()) print_collective(tell.csv(), row);
    lines.insert(lines.end(), row.begin(), row.end());
  }
  if (tell.speaks() && chosen > 0) {
    print_collective_summary(tell.table(), lines, o.verbose);
    print_choices(tell.table(), lines);
  }
  return chosen;
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

int run_all(work const& w, int rank, int ranks, int argc, char** argv) {
  options const& o = w.o;
  bool const speaks = rank == 0;
  if (o.check) return run_check();
  if (!o.merged.empty()) return run_merge(o);
  teller tell(o, speaks);
  if (!o.list) {
    std::vector<std::string> const origin = origin_of(MPI_COMM_WORLD, o.how.directory, argc, argv);
    if (speaks) print_origin(tell.csv(), origin);
  }
  if ((o.collective ? run_collective_group(o, w.all, ranks, tell)
                    : run_independent_group(o, w.all, ranks, tell)) > 0)
    return 0;
  if (speaks)
    std::fprintf(stderr,
                 "bench_patterns: no row of this group has %s in its name; --list shows them\n",
                 o.filter.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, status = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    auto const read = [](bench::arguments const& given) {
      options const o = options_from(given);
      return work{o, implementations_of(o)};
    };
    auto const w = bench::options_of(usage, argc, argv, status, read, rank == 0);
    if (w) status = run_all(*w, rank, ranks, argc, argv);
  } catch (std::exception const& e) {
    fail(e.what());
  }
  MPI_Finalize();
  return status;
}
