// The commands as a table. Help, the man page and the parsing of arguments use it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "../arguments/arguments.hpp"

namespace argosy::tool {

struct command_info {
  std::string_view name;
  std::string_view operands;  // "TYPE", "FILE..."; empty if there are none
  int least, most;            // number of operands; -1: any number
  std::string_view summary;   // one line
  std::string_view text;      // paragraphs
  std::span<option_info const> options;
  std::string_view example;  // without "argosy"
  int (*run)(arguments const& given, std::ostream& out, std::ostream& err);
};

std::span<command_info const> all_commands() noexcept;

std::string help_of(command_info const& c);
std::string help_of_all();
// Returns the man page, in roff, for man(1).
std::string man_page();

// Returns the text of an error without the name of the library in front, which the command prints
// itself, and without the advice to create a file that is missing.
std::string text_of(std::exception const& e);

// Runs `argosy WORDS...` without a process of its own: prints to the streams and returns the exit
// code.
int run(std::span<std::string const> words, std::ostream& out, std::ostream& err);

}  // namespace argosy::tool
