// Implements csv.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "csv.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace bench {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words(1);
  bool inside = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    char const c = line[k];
    if (inside && c == '"' && k + 1 < line.size() && line[k + 1] == '"')
      words.back() += line[++k];
    else if (c == '"')
      inside = !inside;
    else if (c == ',' && !inside)
      words.emplace_back();
    else if (c != '\r')
      words.back() += c;
  }
  return words;
}

}  // namespace

std::string csv_quoted(std::string_view text) {
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

csv_table::csv_table(std::string file, std::string_view text) : file_(std::move(file)) {
  while (!text.empty()) {
    std::size_t const end = text.find('\n');
    std::string_view const line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (columns_.empty() && line.starts_with("# ")) {
      comments_.emplace_back(line.substr(2));
    } else if (columns_.empty()) {
      columns_ = words_of(line);
    } else {
      lines_.push_back(words_of(line));
      if (lines_.back().size() != columns_.size())
        refuse(lines_.size() - 1,
               fmt::format("{} words for {} columns", lines_.back().size(), columns_.size()));
    }
  }
}

csv_table::csv_table(std::string file, std::string_view text, std::string_view columns,
                     char const* what)
    : csv_table(std::move(file), text) {
  if (columns_ != words_of(columns)) throw std::invalid_argument(file_ + " is no table of " + what);
}

void csv_table::refuse(std::size_t line, std::string const& why) const {
  throw std::invalid_argument(fmt::format("{}:{}: {}", file_, line + 2 + comments_.size(), why));
}

bool csv_table::has(std::string_view column) const {
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

std::string const& csv_table::at(std::size_t line, std::string_view column) const {
  auto const found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end())
    throw std::invalid_argument(fmt::format("{}: there is no column {}", file_, column));
  return lines_[line][static_cast<std::size_t>(found - columns_.begin())];
}

template <class Number>
Number csv_table::not_negative(std::size_t line, std::string_view column,
                               std::optional<Number> otherwise, char const* what) const {
  std::string const& word = at(line, column);
  if (word.empty() && otherwise) return *otherwise;
  Number x = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
  if (error != std::errc() || end != word.data() + word.size() || !(x >= 0))
    refuse(line, fmt::format("{} is not a {}: '{}'", column, what, word));
  return x;
}

std::int64_t csv_table::number(std::size_t line, std::string_view column,
                               std::optional<std::int64_t> otherwise) const {
  return not_negative(line, column, otherwise, "count");
}
double csv_table::real(std::size_t line, std::string_view column,
                       std::optional<double> otherwise) const {
  return not_negative(line, column, otherwise, "number");
}

}  // namespace bench
