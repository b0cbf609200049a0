// Tables as comma-separated values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// Returns the text in quotes, on one line.
std::string csv_quoted(std::string_view text);

// Parses lines of comma-separated words. A word in quotes may contain commas. The first line names
// the columns. Comments, which begin with "# ", may stand before it. Throws std::invalid_argument
// with file and line for a fault.
class csv_table {
 public:
  csv_table(std::string file, std::string_view text);
  // Reads a table that must have these columns. Otherwise the error says "no table of `what`".
  csv_table(std::string file, std::string_view text, std::string_view columns, char const* what);

  std::vector<std::string> const& comments() const { return comments_; }  // without "# "
  std::size_t size() const { return lines_.size(); }
  bool has(std::string_view column) const;
  std::string const& at(std::size_t line, std::string_view column) const;
  // Returns counts and rates, which are not negative. An empty word gives `otherwise`; without
  // `otherwise` it is a fault.
  std::int64_t number(std::size_t line, std::string_view column,
                      std::optional<std::int64_t> otherwise = {}) const;
  double real(std::size_t line, std::string_view column, std::optional<double> otherwise = 0) const;

  [[noreturn]] void refuse(std::size_t line, std::string const& why) const;

 private:
  template <class Number>
  Number not_negative(std::size_t line, std::string_view column, std::optional<Number> otherwise,
                      char const* what) const;

  std::string file_;
  std::vector<std::string> comments_, columns_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace bench
