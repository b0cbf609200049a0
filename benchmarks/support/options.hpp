// The options of a benchmark, as a table. Its help and its messages are made from the table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tools/arguments/arguments.hpp>

namespace bench {

using argosy::tool::arguments;
using argosy::tool::misused;
using argosy::tool::option_info;
using argosy::tool::usage_error;

struct program {
  std::string_view name;     // "bench_gpfs"
  std::string_view summary;  // one line about the program
  std::span<option_info const> options;
  std::string_view text = {};  // text below the options
};

std::string help_of(program const& p);
// Parses the words. Throws usage_error for words that are not in the table. The last value of an
// option counts, so scripts can put their own options first.
arguments words_of(program const& p, int argc, char const* const* argv);

// Returns read(words), or nothing if the program has to end with `status`, because help was
// requested or a word is wrong. The rank that `speaks` has printed the help, or a sentence about
// that word.
template <class Read>
auto options_of(program const& p, int argc, char const* const* argv, int& status, Read const& read,
                bool speaks = true) -> std::optional<decltype(read(words_of(p, argc, argv)))> {
  try {
    for (int i = 1; i < argc; ++i)
      if (argv[i] == std::string_view("--help")) {
        if (speaks) std::fputs(help_of(p).c_str(), stdout);
        status = 0;
        return std::nullopt;
      }
    return read(words_of(p, argc, argv));
  } catch (usage_error const& e) {
    std::string const name(p.name);
    if (speaks) std::fprintf(stderr, "%s: %s\n", name.c_str(), e.what());
    status = misused;
    return std::nullopt;
  }
}

// Returns TMPDIR, or /tmp.
std::string temporary_directory();

}  // namespace bench
