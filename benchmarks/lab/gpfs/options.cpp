// Implements options.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <exception>
#include <sstream>

#include "../../support/result_files.hpp"

namespace shapes {
namespace {

constexpr bench::option_info table[] = {
    {"--ranks", "N,N,...", "numbers of ranks (default: 1,2,4,8,16,32,64,128)"},
    {"--per-node", "N", "ranks of a node (default: 1)"},
    {"--percent", "N", "of each rank's data (default: 100)"},
    {"--experiment", "NAME", "only this: discontiguous, contiguous, strided, agents, random"},
    {"--machine", "FILE",
     "lines of a name and a value, as in argosy/lab/gpfs/machine.hpp; what is not named is as by "
     "default, with 20 servers"},
    {"--csv", "FILE", "the table as comma-separated values"},
    {"--plots", "DIR", "a picture of each experiment, NAME.svg"},
    {"--check", "", "fail unless those win that win on every machine like this"},
};

argosy::lab::gpfs::machine machine_of(std::string const& path,
                                      argosy::lab::gpfs::machine const& m) try {
  std::istringstream in(bench::text_of_file(path));
  return argosy::lab::gpfs::read_machine(in, m);
} catch (std::exception const& e) {
  throw bench::usage_error("--machine " + path + ": " + e.what());
}

}  // namespace

bench::program const usage{
    "bench_gpfs",
    "Access patterns on a simulated GPFS, in virtual time, with few ranks and with many.", table,
    "Columns: MB/s (10^6 bytes) of all ranks, writes until they are on disk and reads without "
    "anything cached; "
    "messages between client nodes, and between these and the token manager; revocations; calls to "
    "the file system, "
    "of all ranks.\n"
    "All data is verified, outside of the time. 128 ranks take 3 GB of memory."};

options options_from(bench::arguments const& given) {
  constexpr int most = 4096;
  options o;
  if (given.has("--ranks")) {
    auto const ranks = given.numbers("--ranks", {}, 1, most);
    o.ranks.assign(ranks.begin(), ranks.end());
  }
  o.per_node = given.small_number("--per-node", o.per_node, 1, most);
  o.percent = given.number("--percent", o.percent, 1, 10'000);
  o.experiment = given.value("--experiment");
  if (given.has("--machine")) o.machine = machine_of(given.value("--machine"), o.machine);
  o.csv = given.value("--csv");
  o.plots = given.value("--plots");
  o.check = given.has("--check");
  return o;
}

}  // namespace shapes
