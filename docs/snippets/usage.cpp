// Prints the report that docs/use/reports.md shows. Times are printed as ?.??, the rank that came
// last as ?, and lines of this file as ??. Advice that depends on them is left out.
// Run, with two processors: mpiexec -n 2 build/release/bin/snippets_usage
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace io = argosy;

namespace {

// Returns true for advice that depends on a time of this run.
bool by_time(std::string_view line) {
  return line.find(" of the time ") != line.npos || line.find(" comes last: ") != line.npos;
}

// Replaces a time. In a column its width does not change, after one blank it does.
std::string without_times(std::string const& line) {
  static std::regex const time("( +)([0-9.]+ (ns|us|ms|s))(?=[ ,]|$)");
  std::string out;
  auto rest = line.cbegin();
  for (std::sregex_iterator t(line.begin(), line.end(), time), none; t != none; ++t) {
    out.append(rest, t->prefix().second);
    auto const width = static_cast<std::size_t>(t->length());
    std::string const masked = "?.?? ms";
    out += t->length(1) == 1 ? " " + masked : std::string(width - masked.size(), ' ') + masked;
    rest = t->suffix().first;
  }
  static std::regex const rate("[0-9.]+ MB/s");
  static std::regex const last("least on rank [0-9]+");
  static std::regex const place("at [^ ]*usage.cpp:[0-9]+");
  out = std::regex_replace(out.append(rest, line.cend()), rate, "?.? MB/s");
  out = std::regex_replace(out, last, "least on rank ?");
  return std::regex_replace(out, place, "at usage.cpp:??");
}

}  // namespace

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  ::setenv("ARGOSY_REPORT", "state.report", 1);
  if (world.rank() == 0) std::filesystem::remove("state.report");
  world.barrier();

  // [usage]
  auto f = io::file::open(world, "state.dat", io::mode::create | io::mode::write,
                          io::hints{.cb_nodes = 8});
  std::vector<double> const u(1 << 17, world.rank());
  std::vector<char> const line(100, '.');
  f.write_at_all(8 * std::ssize(u) * world.rank(), u, io::two_phase{});
  std::int64_t const mine = 8 * std::ssize(u) * world.size() + 10'000 * world.rank();
  for (int k = 0; k < 100; ++k) f.write_at(mine + 100 * k, line);
  f.close();
  // [usage]

  world.barrier();
  if (world.rank() != 0) return 0;
  std::ifstream report("state.report");
  for (std::string text; std::getline(report, text);)
    if (!by_time(text)) std::printf("%s\n", without_times(text).c_str());
  std::filesystem::remove("state.report");
  std::filesystem::remove("state.dat");
}
