// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string_view>

namespace shapes {
namespace {

[[noreturn]] void usage(int status) {
  std::fputs(
      "Access patterns on a simulated GPFS, in virtual time, with few ranks and with many.\n"
      "  bench_gpfs [options]\n"
      "  --ranks N,N,...    numbers of ranks (default: 1,2,4,8,16,32,64,128)\n"
      "  --per-node N       ranks of a node (default: 1)\n"
      "  --percent N        of each rank's data (default: 100)\n"
      "  --experiment NAME  only this: discontiguous, contiguous, strided, random\n"
      "  --machine FILE     lines of a name and a value, as in argosy/lab/gpfs/machine.hpp; what is not named is\n"
      "                     as by default, with 20 servers\n"
      "  --csv FILE         the table as comma-separated values\n"
      "  --plots DIR        a picture of each experiment, NAME.svg\n"
      "  --check            fail unless those win that win on every machine like this\n"
      "  --help\n"
      "Columns: MB/s (10^6 bytes) of all ranks, writes until they are on disk and reads without anything cached; "
      "messages\n"
      "between client nodes, and between these and the token manager; revocations; calls to the file system, of all "
      "ranks.\n"
      "All data is verified, outside of the time. 128 ranks take 3 GB of memory.\n",
      status == 0 ? stdout : stderr);
  std::exit(status);
}

bool number(std::string_view text, std::int64_t most, std::int64_t& value) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 1 && value <= most;
}

bool list(std::string_view text, std::vector<int>& values) {
  values.clear();
  for (;;) {
    std::size_t const comma = text.find(',');
    std::int64_t value = 0;
    if (!number(text.substr(0, comma), 4096, value)) return false;
    values.push_back(static_cast<int>(value));
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool machine_of(char const* path, argosy::lab::gpfs::machine& m) {
  std::ifstream in(path);
  if (!in) return std::fprintf(stderr, "bench_gpfs: cannot read %s\n", path), false;
  try {
    m = argosy::lab::gpfs::read_machine(in, m);
  } catch (std::exception const& e) {
    return std::fprintf(stderr, "bench_gpfs: %s: %s\n", path, e.what()), false;
  }
  return true;
}

}  // namespace

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    std::string_view const a = argv[i];
    if (a == "--help") usage(0);
    if (a == "--check") {
      o.check = true;
      continue;
    }
    if (i + 1 == argc) usage(2);
    char const* const value = argv[++i];
    std::int64_t n = 0;
    bool known = true;
    if (a == "--ranks")
      known = list(value, o.ranks);
    else if (a == "--per-node" && number(value, 4096, n))
      o.per_node = static_cast<int>(n);
    else if (a == "--percent" && number(value, 10'000, n))
      o.percent = n;
    else if (a == "--experiment")
      o.experiment = value;
    else if (a == "--machine")
      known = machine_of(value, o.machine);
    else if (a == "--csv")
      o.csv = value;
    else if (a == "--plots")
      o.plots = value;
    else
      known = false;
    if (!known) usage(2);
  }
  return o;
}

}  // namespace shapes
