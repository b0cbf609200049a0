// What came out, as tables for programs and for people.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "claims.hpp"
#include "measure.hpp"

namespace papers {

// Returns the columns source, table, row, machine, published, published_sd, simulated,
// simulated_sd, relative_error, role, scale, short_of, parameters_hash, and a column named `beside` if there is
// another software.
std::string csv_of(std::vector<result> const& results, std::int64_t scale,
                   std::string const& beside);

// A claim that fails on the published numbers is the papers' disagreement with themselves, and does
// not count. Where nothing is published but the sentence, it counts. Deviations are those of
// several runs. A key such as [row:1024] is what the row's program measured of its op,
// "write.scatter.1024"; papers show that in pictures alone.
struct judged {
  claim const* what = nullptr;
  verdict published, simulated;
};
std::vector<judged> judge_all(std::vector<claim> const& claims, std::vector<row> const& rows,
                              std::vector<result> const& results);
// id,holds_published,holds_simulated,left,right
std::string csv_of(std::vector<judged> const& claims);

// Of the rows that were held out, and are neither duplicates nor left out.
struct table_error {
  std::string table;
  int rows = 0;
  double median = 0;           // of the relative errors without their signs
  double constant_median = 0;  // the least that one number for the whole table could have
  // of the other software's rates over the simulated ones, of all rows; 0: not run
  double beside_median = 0;
};
std::vector<table_error> errors_by_table(std::vector<result> const& results);
// Of all tables but those named.
double pooled_median(std::vector<result> const& results,
                     std::vector<std::string> const& without = {});

// Markdown: medians per table, beside the best constant and the other software; misses; claims.
std::string summary_of(std::vector<result> const& results, std::vector<judged> const& claims,
                       std::int64_t scale, std::string const& beside);

// An SVG of a table: published points with their deviations, filled if they were fitted, the
// simulated line, and a thin one of the other software.
std::string plot(std::string const& table, std::vector<result> const& results,
                 std::string const& beside);

}  // namespace papers
