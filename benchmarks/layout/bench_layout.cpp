// The speed of packing, unpacking, copying and searching layouts, compared with hand-written loops,
// memcpy and MPI_Pack.
// Run: build/release/bin/bench_layout [--benchmark_filter=REGEX] [--benchmark_format=json]
// Working sets: 256 KiB of data unless the name says otherwise; hot in the second- or third-level
// cache.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "../support/suite.hpp"
#include "cases.hpp"
#include "table.hpp"

namespace {

constexpr bench::program usage{
    "bench_layout",
    "Packing, unpacking, copying and searching layouts, beside loops by hand and MPI_Pack.",
    {}};

struct no_options {};

void enter_all(no_options) {
  contest::enter_strided();
  contest::enter_arrays();
  contest::enter_records();
  contest::enter_irregular();
  contest::enter_copies();
  contest::enter_seeks();
}
void print_tables(std::FILE* out, no_options, bench::results const& runs) {
  contest::print_copies(out, runs);
  contest::print_seeks(out, runs);
}

}  // namespace

int main(int argc, char** argv) {
  auto const read = [](bench::arguments const&) { return no_options{}; };
  return bench::run_suite<usage>(argc, argv, read, enter_all, print_tables);
}
