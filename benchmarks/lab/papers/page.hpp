// The page of the published results: a summary by table, a picture of each, and the claims.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report.hpp"

namespace papers {

// The words for a table, and why its error stays if it is large.
struct table_words {
  std::string table, title, reason;
};
// Parses table,title,reason. Throws std::invalid_argument.
std::vector<table_words> read_table_words(std::string const& file, std::string_view text);

// The noise of what was published. `deviation`: median of the rows' deviations, relative to their
// rates; 0 if none is published. `twice`: median difference of rows that were measured twice,
// relative to their mean; 0 if there are none.
struct noise {
  double deviation = 0, twice = 0;
  int pairs = 0;
};
noise noise_of(std::string const& table, std::vector<row> const& rows);

// Returns the page. Its pictures and tables lie in the same folder.
std::string page_of(std::vector<table_words> const& words, std::vector<row> const& rows,
                    std::vector<result> const& results, std::vector<judged> const& claims);

}  // namespace papers
