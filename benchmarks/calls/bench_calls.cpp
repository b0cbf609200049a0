// The cost of one small call, compared with its system call and with the MPI library's own file.
// Run: mpiexec -n 2 build/release/bin/bench_calls [--benchmark_filter=read_at/8/] [--dir DIR]
//      [--rounds N]
// The file is in the page cache. Ranks use blocks of their own. Times are those of the slowest
// rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "../support/suite.hpp"
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

}  // namespace

int main(int argc, char** argv) {
  auto const read = [](bench::arguments const& given) {
    return calls::setting{given.value("--dir", "/dev/shm"), given.small_number("--rounds", 41, 1)};
  };
  int const status =
      bench::run_suite<usage>(argc, argv, read, calls::enter_all, calls::print_table);
  return calls::wrong_bytes() ? 1 : status;
}
