// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace patterns {
namespace {

template <class Number>
bool to_number(std::string_view text, Number& value) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    auto const end = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool to_numbers(std::string_view text, std::vector<std::int64_t>& values) {
  values.clear();
  for (std::string const& word : split(text))
    if (!to_number(word, values.emplace_back()) || values.back() == 0) return false;
  return true;
}

}  // namespace

char const* usage() {
  return "Noncontiguous reads and writes: argosy, the MPI library's own files, and plain pread/pwrite.\n"
         "  mpiexec -n 4 bench_patterns [options]\n"
         "  --group NAME       independent (default): calls on a view with holes, in a file that is there\n"
         "                     collective: whole files, written by all ranks, written again and read, at these "
         "levels:\n"
         "                     0, 1  a call for each piece, independent or collective\n"
         "                     2, 3  one call on a view, independent or collective\n"
         "  --dir DIR          where the file is made (default: TMPDIR, or /tmp)\n"
         "  --repeat N         rounds, at most (default: 21; collective: 5, and one to warm up)\n"
         "  --seconds X        that a round of one implementation lasts at least (default: 0.0005; independent rows "
         "with more\n"
         "                     ranks than processors: 0.02)\n"
         "  --row-seconds X    after which there are no more rounds of a row; collective: of one implementation\n"
         "                     (default: 1.5)\n"
         "  --pattern TEXT     only rows whose name contains TEXT, for instance vector/8/, /write or dist3d/3\n"
         "  --impl A,B         only these: argosy, argosy:POLICY (as the hint argosy_policy names it), mpi, posix (a\n"
         "                     call for each piece), limit (each rank's bytes in contiguous calls of 4 MiB); default:\n"
         "                     argosy,mpi,posix; collective: argosy,mpi,limit\n"
         "                     argosy,argosy:sieving,argosy:two_phase also tells whether argosy chose the faster one\n"
         "  --hint NAME=VALUE  for argosy's files; may be repeated\n"
         "  --csv FILE         (default: stdout)\n"
         "  --verbose          what argosy did, in the table\n"
         "  --list, --help\n"
         "independent:\n"
         "  --bytes N          that a rank reads or writes, at most (default: 1048576)\n"
         "  --pieces N         that a rank reads or writes, at most (default: 32768)\n"
         "  --span N           bytes of the file, at most (default: 67108864)\n"
         "collective:\n"
         "  --file N           bytes of the file, about (default: 67108864)\n"
         "  --calls N          of a rank at levels 0 and 1, where the file of many small pieces is smaller (default: "
         "4096)\n"
         "  --sync             after each write, outside of the timing, a sync: for hosts with caches of their own\n"
         "  --timed-sync       the same, inside of the timing: until every host finds what was written\n"
         "  --transfers N,M    bytes of a call of segmented and strided (default: 262144,1048576,4194304,16777216)\n"
         "without mpiexec:\n"
         "  --check            whether the patterns are what they say\n"
         "  --merge NAME=FILE  the CSV of a collective run with the MPI library set up as NAME says; may be repeated. "
         "The\n"
         "                     fastest counts, row by row\n";
}

options parse(int argc, char** argv) {
  options o;
  char const* const directory = std::getenv("TMPDIR");
  o.how.directory = directory && *directory ? directory : "/tmp";
  for (int i = 1; i < argc && o.wrong.empty(); ++i) {
    std::string_view const name = argv[i];
    if (name == "--list")
      o.list = true;
    else if (name == "--help")
      o.help = true;
    else if (name == "--verbose")
      o.verbose = true;
    else if (name == "--check")
      o.check = true;
    else if (name == "--sync")
      o.how.sync = true;
    else if (name == "--timed-sync")
      o.how.sync = o.how.timed_sync = true;
    else {
      bool good = i + 1 < argc;
      std::string_view const value = good ? argv[++i] : "";
      if (name == "--dir")
        o.how.directory = value;
      else if (name == "--bytes")
        good = good && to_number(value, o.most.bytes);
      else if (name == "--pieces")
        good = good && to_number(value, o.most.pieces);
      else if (name == "--span")
        good = good && to_number(value, o.most.span);
      else if (name == "--group") {
        o.collective = value == "collective";
        good = o.collective || value == "independent";
      } else if (name == "--file")
        good = good && to_number(value, o.files.file) && o.files.file > 0;
      else if (name == "--calls")
        good = good && to_number(value, o.files.calls) && o.files.calls > 0;
      else if (name == "--transfers")
        good = good && to_numbers(value, o.files.transfers);
      else if (name == "--row-seconds")
        good = good && to_number(value, o.how.row_seconds);
      else if (name == "--merge") {
        o.merged.emplace_back(value);
        good = value.find('=') != value.npos;
      } else if (name == "--repeat")
        good = good && to_number(value, o.how.repeat) && o.how.repeat > 0;
      else if (name == "--seconds")
        good = good && to_number(value, o.how.seconds);
      else if (name == "--pattern")
        o.filter = value;
      else if (name == "--impl")
        o.implementations = split(value);
      else if (name == "--csv")
        o.csv = value;
      else if (name == "--hint" && value.find('=') != value.npos)
        o.hints.set(std::string(value.substr(0, value.find('='))), std::string(value.substr(value.find('=') + 1)));
      else
        good = false;
      if (!good) o.wrong = std::string(name) + " " + std::string(value);
    }
  }
  return o;
}

std::string full_name(pattern const& p, operation op) {
  char text[100];
  std::snprintf(text, sizeof text, "%s/%lld/%.2g/%s", p.name().c_str(), static_cast<long long>(p.piece_bytes()),
                p.density(), name_of(op));
  return text;
}

std::string full_name(collective_case const& c) {
  return c.what->name() + "/" + std::to_string(static_cast<int>(c.how));
}

}  // namespace patterns
