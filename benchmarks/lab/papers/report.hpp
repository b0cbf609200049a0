// Results as tables for programs and for people.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "claims.hpp"
#include "measure.hpp"

namespace papers {

// Returns the columns source, table, row, machine, published, published_sd, simulated,
// simulated_sd, relative_error, role, scale, short_of and parameters_hash. If there is another
// software, also a column with the name in `beside`.
std::string csv_of(std::vector<result> const& results, std::int64_t scale,
                   std::string const& beside);

// A claim with its verdicts. A claim that fails on the published numbers contradicts its paper, and
// does not count. If only the sentence is published, the claim counts. Deviations are those of
// several runs. A key such as [row:1024] is the result "write.scatter.1024" of the row's program,
// for results that papers show only in pictures.
struct judged {
  claim const* what = nullptr;
  verdict published, simulated;
};
std::vector<judged> judge_all(std::vector<claim> const& claims, std::vector<row> const& rows,
                              std::vector<result> const& results);
// Returns id,holds_published,holds_simulated,left,right.
std::string csv_of(std::vector<judged> const& claims);

// Errors of the rows that were held out, without duplicates and rows left out.
struct table_error {
  std::string table;
  int rows = 0;
  double median = 0;           // median of the absolute values of the relative errors
  double constant_median = 0;  // the least that one number for the whole table could have
  // median ratio of the other software's rates to the simulated ones, over all rows; 0 if not run
  double beside_median = 0;
};
std::vector<table_error> errors_by_table(std::vector<result> const& results);
// Returns the median of all tables except those named.
double pooled_median(std::vector<result> const& results,
                     std::vector<std::string> const& without = {});

// Returns Markdown: medians for each table, with the best constant and the other software; misses;
// claims.
std::string summary_of(std::vector<result> const& results, std::vector<judged> const& claims,
                       std::int64_t scale, std::string const& beside);

// Returns true if the row is in the picture of its table. Of rows with no published number, only
// those of the workload `discontiguous` are.
bool is_drawn(row const& r);
// Returns an SVG of a table: published points with their deviations, filled if they were fitted,
// the simulated line, and a thin line of the other software.
std::string plot(std::string const& table, std::vector<result> const& results,
                 std::string const& beside);

}  // namespace papers
