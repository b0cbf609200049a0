// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace beffio {
namespace {

// Positive.
template <class Number>
bool to_number(std::string_view text, Number& value) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0;
}

bool to_sizes(std::string_view text, std::vector<int>& values) {
  values.clear();
  for (;;) {
    std::size_t const comma = text.find(',');
    if (!to_number(text.substr(0, comma), values.emplace_back())) return false;
    if (comma == text.npos) break;
    text.remove_prefix(comma + 1);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return true;
}

// T: at most a hundred days, which no clock here has trouble with.
bool to_seconds(std::string_view text, double& value) { return to_number(text, value) && value <= 1e7; }

bool to_mib(std::string_view text, std::int64_t& value) {
  return to_number(text, value) && value <= std::int64_t{1} << 40;
}

bool choose(std::string_view word, options& o) {
  o.argosy = word == "argosy" || word == "both";
  o.mpi = word == "mpi" || word == "both";
  return o.argosy || o.mpi;
}

bool choose_release(std::string_view word, options& o) {
  o.rules = word == "1" || word == "1.x" ? release::r1 : release::r2;
  return o.rules == release::r1 || word == "2" || word == "2.0";
}

// Options without a value.
bool is_flag(std::string_view name, options& o) {
  if (name == "--all-rewrites")
    o.all_rewrites = true;
  else if (name == "--geometric")
    o.geometric = true;
  else if (name == "--no-shared-pointer")
    o.shared_pointer = false;
  else if (name == "--unique")
    o.unique = unique_open::always;
  else if (name == "--unique=not-separate")
    o.unique = unique_open::not_separated;
  else if (name == "--keep")
    o.keep = true;
  else if (name == "--quiet")
    o.quiet = true;
  else if (name == "--dry-run")
    o.dry_run = true;
  else if (name == "--help")
    o.help = true;
  else
    return false;
  return true;
}

bool take(std::string_view name, std::string_view value, options& o) {
  if (name == "--impl") return choose(value, o);
  if (name == "--release") return choose_release(value, o);
  if (name == "--seconds") return to_seconds(value, o.seconds);
  if (name == "--partitions") return to_sizes(value, o.partitions);
  if (name == "--memory") return to_mib(value, o.memory_mib);
  if (name == "--cache") return to_mib(value, o.cache_mib);
  if (name == "--space") return to_mib(value, o.space_mib);
  std::string* const text = name == "--dir"        ? &o.directory
                            : name == "--hints"    ? &o.hints
                            : name == "--hint-set" ? &o.hint_set
                            : name == "--csv"      ? &o.csv
                            : name == "--json"     ? &o.json
                            : name == "--plots"    ? &o.plots
                            : name == "--from"     ? &o.from
                            : name == "--compare"  ? &o.compared.emplace_back()
                                                   : nullptr;
  if (text == nullptr || value.empty()) return false;
  *text = value;
  return true;
}

}  // namespace

char const* usage() {
  return "b_eff_io: how fast many processes read and write files, by five types of patterns.\n"
         "  mpiexec -n 4 bench_beffio [options]\n"
         "What is measured\n"
         "  --impl NAME            argosy (default), mpi: the MPI library's own files, or both, side by side\n"
         "  --release N            of the rules: 2 (default), or 1 for 1.x\n"
         "  --seconds T            scheduled time of each implementation, of all partitions together; release 1: of\n"
         "                         each partition (default: 1800; less is not valid for comparison, but for 900 of\n"
         "                         release 1)\n"
         "  --partitions N,N,...   numbers of ranks (default: three of them, as the rules say)\n"
         "  --dir DIR              where files are made, in a directory of their own (default: TMPDIR, or /tmp)\n"
         "  --all-rewrites         release 2: rewrite all types, not the first alone\n"
         "  --geometric            look at the clock after 1, 2, 4 ... calls, not after each\n"
         "  --unique               files are opened unique; --unique=not-separate: but those of type 2\n"
         "  --no-shared-pointer    type 1 by views: for files without shared pointers; not valid for comparison\n"
         "  --memory MIB           of each rank (default: of its node, shared by the ranks there); the longest chunk\n"
         "                         is a 128th of it, at least 2 MiB, and a rank takes memory for two of these\n"
         "  --cache MIB            of all nodes and servers, for a warning (default: memory of the nodes)\n"
         "  --space MIB            that files may take (default: nine tenths of what is free)\n"
         "  --hints FILE           hints by ranks, method, type and chunk: benchmarks/beffio/hints has some\n"
         "  --hint-set NAME        their name in results (default: that of the file)\n"
         "  --keep                 files are not removed\n"
         "What comes out, beside the report\n"
         "  --csv FILE             a line for each pattern; and the values that follow, in FILE with _summary\n"
         "  --json FILE            both\n"
         "  --plots DIR            pictures, in SVG\n"
         "  --compare FILE         CSV of an earlier run: how many times as fast; in the pictures, too. May be "
         "repeated\n"
         "  --from FILE            nothing is run: results are read from this CSV (without mpiexec, too)\n"
         "  --dry-run              nothing is run but a short trial: the plan, with time and space\n"
         "  --quiet                no line of progress on the terminal\n"
         "  --help\n"
         "The status is 1 if a call failed or data was wrong, which ends nothing; 2 if the options make no sense.\n";
}

options parse(int argc, char const* const* argv) {
  options o;
  char const* const directory = std::getenv("TMPDIR");
  o.directory = directory != nullptr && *directory != 0 ? directory : "/tmp";
  for (int i = 1; i < argc && o.wrong.empty(); ++i) {
    std::string_view const name = argv[i];
    if (is_flag(name, o)) continue;
    bool const has_value = i + 1 < argc;
    std::string_view const value = has_value ? argv[++i] : "";
    if (!has_value || !take(name, value, o)) o.wrong = std::string(name) + (has_value ? " " + std::string(value) : "");
  }
  if (!o.wrong.empty()) return o;
  if (o.rules == release::r1 && o.all_rewrites) o.wrong = "--all-rewrites: release 1 always has all";
  if (o.hints.empty() && !o.hint_set.empty()) o.wrong = "--hint-set without --hints";
  if (o.hint_set.empty() && !o.hints.empty()) o.hint_set = std::filesystem::path(o.hints).stem().string();
  return o;
}

}  // namespace beffio
