// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <charconv>
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

}  // namespace

char const* usage() {
  return "Independent noncontiguous reads and writes: argosy, the MPI library's own files, and pread/pwrite loops.\n"
         "  mpiexec -n 2 bench_patterns [options]\n"
         "  --dir DIR          where the file is made (default: TMPDIR, or /tmp)\n"
         "  --bytes N          that a rank reads or writes, at most (default: 1048576)\n"
         "  --pieces N         that a rank reads or writes, at most (default: 32768)\n"
         "  --span N           bytes of the file, at most (default: 67108864)\n"
         "  --repeat N         rounds, at most (default: 21)\n"
         "  --seconds X        that a round of one implementation lasts at least (default: 0.0005)\n"
         "  --pattern TEXT     only rows whose name contains TEXT, for instance vector/8/ or /write\n"
         "  --impl A,B         only these: argosy, mpi, posix\n"
         "  --hint NAME=VALUE  for argosy's files; may be repeated\n"
         "  --csv FILE         (default: stdout)\n"
         "  --verbose          what argosy did, in the table\n"
         "  --list, --help\n";
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
      else if (name == "--repeat")
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

}  // namespace patterns
