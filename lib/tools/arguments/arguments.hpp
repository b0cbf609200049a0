// Checks the arguments of a program against a table of its options, and prints its help.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::tool {

// Exit codes.
inline constexpr int success = 0;
inline constexpr int failed = 1;   // the work could not be done, or a fault was found
inline constexpr int misused = 2;  // the arguments are invalid

// Thrown for invalid arguments of the user. Its what() names the argument and what would be right.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct option_info {
  std::string_view name;  // with its dashes; if empty, the text is a heading in the help
  // the name of its value; empty if it has none; "[=WORD]" if it is only given behind "="
  std::string_view value;
  std::string_view text;
  bool many = false;  // may be given more than once
};

// The arguments that a program accepts.
struct word_form {
  std::string program;             // the name that its user types: "argosy plan"
  std::string_view operands = {};  // "TYPE", "FILE..."; empty if there are none
  int least = 0, most = 0;         // the number of operands; -1: any number
  std::vector<option_info> options;
};

// Returns the usage line: "argosy plan TYPE [option...]".
std::string usage_of(word_form const& form);
// Breaks text into lines of at most `width`, each after `indent` blanks. Lines that begin with two
// blanks are not changed.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);
// Returns the help of the options, with the text of each in a column of its own.
std::string options_text(std::span<option_info const> options);

class arguments {
 public:
  // Parses arguments. Throws usage_error for unknown options, missing values, and too few or too
  // many operands. `--name=value` is equal to `--name value`. All arguments behind `--` are
  // operands.
  arguments(word_form const& form, std::span<std::string const> words);

  std::vector<std::string> const& operands() const noexcept { return operands_; }
  bool has(std::string_view option) const { return values_.contains(option); }
  bool json() const { return has("--json"); }
  // Returns the value of the last option of that name, or `otherwise` if there is none.
  std::string value(std::string_view option, std::string const& otherwise = {}) const;
  std::vector<std::string> values(std::string_view option) const;
  // Returns the comma-separated parts of the value.
  std::vector<std::string> words(std::string_view option) const;

  // The following functions throw usage_error for an invalid value. This one returns a whole number
  // from `least` to `most`. The suffixes k, m and g are powers of 1024.
  std::int64_t number(std::string_view option, std::int64_t otherwise, std::int64_t least = 0,
                      std::int64_t most = INT64_MAX) const;
  int small_number(std::string_view option, int otherwise, int least = 0,
                   int most = INT32_MAX) const {
    return static_cast<int>(number(option, otherwise, least, most));
  }
  // Returns whole numbers that are separated by commas.
  std::vector<std::int64_t> numbers(std::string_view option, std::vector<std::int64_t> otherwise,
                                    std::int64_t least = 0, std::int64_t most = INT64_MAX) const;
  double real(std::string_view option, double otherwise, double least, double most) const;
  // Returns one of `known`. The first of them is the default.
  std::string choice(std::string_view option, std::span<std::string_view const> known) const;
  std::string choice(std::string_view option, std::initializer_list<std::string_view> known) const {
    return choice(option, std::span(known.begin(), known.size()));
  }

 private:
  std::vector<std::string> operands_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

}  // namespace argosy::tool
