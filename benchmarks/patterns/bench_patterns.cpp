// How fast independent noncontiguous reads and writes are, beside the MPI library's own files and plain pread/pwrite loops.
// Run: mpiexec -n 2 build/release/bin/bench_patterns [--dir DIR] [--pattern vector/8/] [--help]
// The file is in the page cache; writes go to a file that is there, and keep its holes.
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "implementation.hpp"
#include "options.hpp"
#include "pattern.hpp"
#include "report.hpp"
#include "runner.hpp"

namespace {

using namespace patterns;

std::vector<std::unique_ptr<implementation>> implementations_of(options& o) {
  std::vector<std::unique_ptr<implementation>> all;
  for (std::string const& name : o.implementations) {
    if (name == "argosy")
      all.push_back(make_argosy(o.hints));
    else if (name == "mpi")
      all.push_back(make_mpi());
    else if (name == "posix")
      all.push_back(make_posix());
    else
      o.wrong = "--impl " + name;
  }
  return all;
}

int run_all(options o, int rank, int ranks) {
  bool const speaks = rank == 0;
  auto const all = implementations_of(o);
  if (o.help || !o.wrong.empty()) {
    if (speaks && !o.wrong.empty()) std::fprintf(stderr, "bench_patterns: cannot understand %s\n", o.wrong.c_str());
    if (speaks) std::fputs(usage(), o.help ? stdout : stderr);
    return o.help ? 0 : 2;
  }
  std::FILE* const csv = !speaks || o.csv.empty() ? stdout : std::fopen(o.csv.c_str(), "w");
  if (!csv) fail(o.csv + " cannot be written");
  if (speaks && !o.list) print_csv_header(csv);
  bool const shows_progress = speaks && ::isatty(STDERR_FILENO);
  std::vector<row> rows;
  for (auto const& p : all_patterns(ranks, o.most))
    for (operation op : {operation::read, operation::write}) {
      std::string const name = full_name(*p, op);
      if (name.find(o.filter) == name.npos) continue;
      if (o.list) {
        if (speaks) std::puts(name.c_str());
        continue;
      }
      if (shows_progress) std::fprintf(stderr, "\r\033[K%s", name.c_str());
      rows.push_back(run(MPI_COMM_WORLD, *p, op, all, o.how));
      if (shows_progress) std::fputs("\r\033[K", stderr);
      if (speaks) print_csv(csv, rows.back());
    }
  if (csv != stdout) std::fclose(csv);
  // Not among the CSV.
  if (speaks && !o.list) print_summary(o.csv.empty() ? stderr : stdout, rows, o.verbose);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, status = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    status = run_all(parse(argc, argv), rank, ranks);
  } catch (std::exception const& e) {
    fail(e.what());
  }
  MPI_Finalize();
  return status;
}
