// The words behind a program's name, checked against a table of its options, and its help.
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
inline constexpr int failed = 1;   // the work could not be done, or something was found to be wrong
inline constexpr int misused = 2;  // the words were not understood

// The words of the user are wrong; what() says which, and what would be right.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct option_info {
  std::string_view name;   // with its dashes; empty: the text is a heading in the help
  std::string_view value;  // name of its value; empty: none; "[=WORD]": only behind "="
  std::string_view text;
  bool many = false;  // may be given more than once
};

// The words that a program understands.
struct word_form {
  std::string program;             // as its user calls it: "argosy plan"
  std::string_view operands = {};  // "TYPE", "FILE..."; empty: none
  int least = 0, most = 0;         // number of operands; -1: any
  std::vector<option_info> options;
};

// "argosy plan TYPE [option...]"
std::string usage_of(word_form const& form);
// Breaks text into lines of at most `width`, each after `indent` blanks. Keeps lines that begin
// with two blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);
// A line or more for each option, with its text in a column of its own.
std::string options_text(std::span<option_info const> options);

class arguments {
 public:
  // Throws usage_error for unknown options, missing values, too few or too many operands.
  // `--name=value` is as `--name value`; behind `--` all words are operands.
  arguments(word_form const& form, std::span<std::string const> words);

  std::vector<std::string> const& operands() const noexcept { return operands_; }
  bool has(std::string_view option) const { return values_.contains(option); }
  bool json() const { return has("--json"); }
  // Returns the value of the last one given; `otherwise` if there is none.
  std::string value(std::string_view option, std::string otherwise = {}) const;
  std::vector<std::string> values(std::string_view option) const;
  // Returns the words between the commas of the value.
  std::vector<std::string> words(std::string_view option) const;

  // The functions that follow throw usage_error for any other value.
  // Whole numbers from `least` to `most`; with a suffix k, m or g in powers of 1024.
  std::int64_t number(std::string_view option, std::int64_t otherwise, std::int64_t least = 0,
                      std::int64_t most = INT64_MAX) const;
  int small_number(std::string_view option, int otherwise, int least = 0,
                   int most = INT32_MAX) const {
    return static_cast<int>(number(option, otherwise, least, most));
  }
  // Whole numbers with commas between.
  std::vector<std::int64_t> numbers(std::string_view option, std::vector<std::int64_t> otherwise,
                                    std::int64_t least = 0, std::int64_t most = INT64_MAX) const;
  double real(std::string_view option, double otherwise, double least, double most) const;
  // One of `known`, whose first one is the default.
  std::string choice(std::string_view option, std::span<std::string_view const> known) const;
  std::string choice(std::string_view option, std::initializer_list<std::string_view> known) const {
    return choice(option, std::span(known.begin(), known.size()));
  }

 private:
  std::vector<std::string> operands_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

}  // namespace argosy::tool
