// What the command can do: a table, of which help, the man page and the reading of arguments are
// made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "../arguments/arguments.hpp"

namespace argosy::tool {

struct command_info {
  std::string_view name;
  std::string_view operands;  // "TYPE", "FILE..."; empty: none
  int least, most;            // how many; -1: any number
  std::string_view summary;   // one line
  std::string_view text;      // paragraphs
  std::span<option_info const> options;
  std::string_view example;  // without "argosy"
  int (*run)(arguments const& given, std::ostream& out, std::ostream& err);
};

std::span<command_info const> all_commands() noexcept;

std::string help_of(command_info const& c);
std::string help_of_all();
// In roff, for man(1).
std::string man_page();

// The whole command but its process: what `argosy WORDS...` prints and returns.
int run(std::span<std::string const> words, std::ostream& out, std::ostream& err);

}  // namespace argosy::tool
