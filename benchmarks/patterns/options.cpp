// Implements options.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <utility>

#include <fmt/format.h>

namespace patterns {
namespace {

constexpr bench::option_info table[] = {
    {"--group", "NAME",
     "independent (default): calls on a view with holes, in a file that is there; collective: "
     "whole files, written by all ranks, written again and read, at these levels: 0, 1: a call for "
     "each piece, independent or collective; 2, 3: one call on a view, independent or collective"},
    {"--dir", "DIR", "where the file is made (default: TMPDIR, or /tmp)"},
    {"--repeat", "N", "rounds, at most (default: 21; collective: 5, and one to warm up)"},
    {"--seconds", "X",
     "that a round of one implementation lasts at least (default: 0.0005; independent rows with "
     "more ranks than processors: 0.02)"},
    {"--row-seconds", "X",
     "after which there are no more rounds of a row; collective: of one implementation (default: "
     "1.5)"},
    {"--impl", "A,B",
     "only these: argosy, argosy:POLICY (as the hint argosy_policy names it), mpi, posix (a call "
     "for each piece), own (an exchange written by hand, collective), limit (each rank's bytes in "
     "contiguous calls of 4 MiB); default: argosy,mpi,posix; collective: argosy,mpi,own,limit. "
     "argosy,argosy:sieving,argosy:two_phase also "
     "tells whether argosy chose the faster one"},
    {"--hint", "NAME=VALUE", "for argosy's files; may be repeated", true},
    {"--csv", "FILE", "gets every row (default: none; of --merge: stdout)"},
    {"--verbose", "", "what argosy did, in the table"},
    {"", "", "independent"},
    {"--bytes", "N", "that a rank reads or writes, at most (default: 1m)"},
    {"--pieces", "N", "that a rank reads or writes, at most (default: 32k)"},
    {"--span", "N", "bytes of the file, at most (default: 64m)"},
    {"", "", "collective"},
    {"--file", "N", "bytes of the file, about (default: 64m)"},
    {"--calls", "N",
     "of a rank at levels 0 and 1, where the file of many small pieces is smaller (default: 4096)"},
    {"--sync", "",
     "after each write, outside of the timing, a sync: for hosts with caches of their own"},
    {"--timed-sync", "", "the same, inside of the timing: until every host finds what was written"},
    {"--transfers", "N,M", "bytes of a call of segmented and strided (default: 256k,1m,4m,16m)"},
    {"", "", "without mpiexec"},
    {"--check", "", "whether the patterns are what they say"},
    {"--merge", "NAME=FILE",
     "the CSV of a collective run with the MPI library set up as NAME says; may be repeated. "
     "Row by row, the run counts in which argosy is least ahead of the MPI library, with all its "
     "ratios",
     true},
};

// Throws usage_error for a word without "=".
std::pair<std::string, std::string> named(std::string const& option, std::string const& word) {
  auto const equals = word.find('=');
  if (equals == word.npos)
    throw bench::usage_error(
        fmt::format("{} needs a name, \"=\" and more, not \"{}\"", option, word));
  return {word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace

bench::program const usage{
    "bench_patterns",
    "Noncontiguous reads and writes: argosy, the MPI library's own files, and plain pread/pwrite.",
    table};

options options_from(bench::arguments const& given) {
  constexpr double most_seconds = 1e7;
  options o;
  o.collective = given.choice("--group", {"independent", "collective"}) == "collective";
  o.how.directory = given.value("--dir", bench::temporary_directory());
  o.how.repeat = given.small_number("--repeat", o.how.repeat, 1);
  o.how.seconds = given.real("--seconds", o.how.seconds, 0, most_seconds);
  o.how.row_seconds = given.real("--row-seconds", o.how.row_seconds, 0, most_seconds);
  o.how.timed_sync = given.has("--timed-sync");
  o.how.sync = given.has("--sync") || o.how.timed_sync;
  o.most.bytes = given.number("--bytes", o.most.bytes);
  o.most.pieces = given.number("--pieces", o.most.pieces);
  o.most.span = given.number("--span", o.most.span);
  o.files.file = given.number("--file", o.files.file, 1);
  o.files.calls = given.number("--calls", o.files.calls, 1);
  o.files.transfers = given.numbers("--transfers", o.files.transfers, 1);
  o.implementations = given.words("--impl");
  o.csv = given.value("--csv");
  o.verbose = given.has("--verbose");
  o.check = given.has("--check");
  for (std::string const& word : given.values("--hint")) {
    auto const [name, value] = named("--hint", word);
    o.hints.set(name, value);
  }
  for (std::string const& word : given.values("--merge"))
    o.merged.push_back(named("--merge", word));
  return o;
}

std::string full_name(pattern const& p, operation op) {
  return fmt::format("{}/{}/{:.2g}/{}", p.name(), p.piece_bytes(), p.density(), name_of(op));
}

std::string full_name(collective_case const& c) {
  return fmt::format("{}/{}", c.what->name(), static_cast<int>(c.how));
}

}  // namespace patterns
