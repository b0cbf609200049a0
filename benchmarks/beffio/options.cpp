// Implements options.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <filesystem>

namespace beffio {
namespace {

constexpr bench::option_info table[] = {
    {"", "", "what is measured"},
    {"--impl", "NAME", "argosy (default), mpi: the MPI library's own files, or both, side by side"},
    {"--release", "N", "of the rules: 2 (default), or 1 for 1.x"},
    {"--seconds", "T",
     "scheduled time of each implementation, of all partitions together; release 1: of each "
     "partition (default: 1800; less is not valid for comparison, but for 900 of release 1)"},
    {"--partitions", "N,N,...", "numbers of ranks (default: three of them, as the rules say)"},
    {"--dir", "DIR",
     "where files are made, in a directory of their own (default: TMPDIR, or /tmp)"},
    {"--all-rewrites", "", "release 2: rewrite all types, not the first alone"},
    {"--geometric", "", "look at the clock after 1, 2, 4 ... calls, not after each"},
    {"--unique", "[=not-separate]",
     "files are opened unique; --unique=not-separate: but those of type 2"},
    {"--no-shared-pointer", "",
     "type 1 by views: for files without shared pointers; not valid for comparison"},
    {"--memory", "MIB",
     "of each rank (default: of its node, shared by the ranks there); the longest chunk is a 128th "
     "of it, at least 2 MiB, and a rank takes memory for two of these"},
    {"--cache", "MIB", "of all nodes and servers, for a warning (default: memory of the nodes)"},
    {"--space", "MIB", "that files may take (default: nine tenths of what is free)"},
    {"--hints", "FILE", "hints by ranks, method, type and chunk: benchmarks/beffio/hints has some"},
    {"--hint-set", "NAME", "their name in results (default: that of the file)"},
    {"--keep", "", "files are not removed"},
    {"", "", "what comes out, beside the report"},
    {"--csv", "FILE", "a line for each pattern; and the values that follow, in FILE with _summary"},
    {"--json", "FILE", "both"},
    {"--plots", "DIR", "pictures, in SVG"},
    {"--compare", "FILE",
     "CSV of an earlier run: how many times as fast; in the pictures, too. May be repeated", true},
    {"--from", "FILE", "nothing is run: results are read from this CSV (without mpiexec, too)"},
    {"--dry-run", "", "nothing is run but a short trial: the plan, with time and space"},
    {"--quiet", "", "no line of progress on the terminal"},
};

// Returns the value. Throws usage_error if it is empty.
std::string text_of(bench::arguments const& given, std::string_view option,
                    std::string otherwise = {}) {
  std::string text = given.value(option, std::move(otherwise));
  if (text.empty() && given.has(option))
    throw bench::usage_error(std::string(option) + " needs a name");
  return text;
}

}  // namespace

bench::program const usage{"bench_beffio",
                           "b_eff_io: how fast many processes read and write files, by five "
                           "types of patterns. Runs under mpiexec.",
                           table,
                           "The status is 1 if a call failed or data was wrong, which ends "
                           "nothing; 2 if the options make no sense."};

options options_from(bench::arguments const& given) {
  constexpr double most_seconds = 1e7;  // a hundred days, which all clocks here can represent
  constexpr std::int64_t most_mib = std::int64_t{1} << 40;
  options o;
  std::string const who = given.choice("--impl", {"argosy", "mpi", "both"});
  o.argosy = who != "mpi";
  o.mpi = who != "argosy";
  o.rules =
      given.choice("--release", {"2", "2.0", "1", "1.x"})[0] == '1' ? release::r1 : release::r2;
  o.seconds = given.real("--seconds", o.seconds, 1e-3, most_seconds);
  for (std::int64_t const n : given.numbers("--partitions", {}, 1, INT32_MAX))
    o.partitions.push_back(static_cast<int>(n));
  std::sort(o.partitions.begin(), o.partitions.end());
  o.partitions.erase(std::unique(o.partitions.begin(), o.partitions.end()), o.partitions.end());
  o.directory = text_of(given, "--dir", bench::temporary_directory());
  o.all_rewrites = given.has("--all-rewrites");
  o.geometric = given.has("--geometric");
  o.shared_pointer = !given.has("--no-shared-pointer");
  o.keep = given.has("--keep");
  o.quiet = given.has("--quiet");
  o.dry_run = given.has("--dry-run");
  if (given.has("--unique"))
    o.unique = given.choice("--unique", {"", "not-separate"}).empty() ? unique_open::always
                                                                      : unique_open::not_separated;
  o.memory_mib = given.number("--memory", 0, 1, most_mib);
  o.cache_mib = given.number("--cache", 0, 1, most_mib);
  o.space_mib = given.number("--space", 0, 1, most_mib);
  o.hints = text_of(given, "--hints");
  o.hint_set = text_of(given, "--hint-set", std::filesystem::path(o.hints).stem().string());
  o.csv = text_of(given, "--csv");
  o.json = text_of(given, "--json");
  o.plots = text_of(given, "--plots");
  o.from = text_of(given, "--from");
  o.compared = given.values("--compare");
  if (o.rules == release::r1 && o.all_rewrites)
    throw bench::usage_error("--all-rewrites is for release 2: release 1 always has all");
  if (o.hints.empty() && !o.hint_set.empty()) throw bench::usage_error("--hint-set needs --hints");
  return o;
}

}  // namespace beffio
