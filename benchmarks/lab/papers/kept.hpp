// Results that are kept in a folder: a CSV for each table and one for the claims. A later run may
// renew some of them, or be compared with them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report.hpp"

namespace papers {

// Verdicts are the words of csv_of(judged): yes, no, "not published" and "not run".
struct kept_claim {
  std::string published, here;
  double left = 0, right = 0;
};

struct kept_results {
  struct rate {
    double simulated = 0, simulated_sd = 0;
  };
  std::map<std::string, rate> rows;  // by key
  std::map<std::string, kept_claim> claims;
};

// Returns the columns row, machine, published, published_sd, simulated, simulated_sd,
// relative_error and role of one table.
std::string table_csv(std::string const& table, std::vector<result> const& results);
// Adds the rows of such a table to `to`. Throws std::invalid_argument.
void read_table(std::string const& file, std::string_view text, kept_results& to);
// Adds the claims of csv_of(judged). Throws std::invalid_argument.
void read_kept_claims(std::string const& file, std::string_view text, kept_results& to);
// Reads the tables of these rows, and the claims, as far as the folder has them.
kept_results read_kept(std::string const& directory, std::vector<row> const& rows);

// Returns a result for each row that was measured or kept, in the order of the rows.
std::vector<result> with_kept(std::vector<row> const& rows, std::vector<result> const& measured,
                              kept_results const& kept);
// Returns claims judged by these results. A claim that they do not decide has its kept verdict.
std::vector<judged> with_kept(std::vector<judged> claims, kept_results const& kept);

// Returns a sentence for each rate that moved by more than this, for each claim whose verdict is
// another one, and for each row and claim that is not kept.
inline constexpr double most_moved = 0.02;
std::vector<std::string> moved(std::vector<result> const& measured,
                               std::vector<judged> const& claims, kept_results const& kept);

}  // namespace papers
