// Implements the tables of report.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "../../support/statistics.hpp"

namespace papers {

namespace {

// Returns the least median error of a constant. Only the published numbers need be tried, because
// between two of them the median is no better.
double best_constant(std::vector<double> const& published) {
  double best = std::numeric_limits<double>::max();
  for (double const c : published) {
    std::vector<double> errors;
    for (double const p : published) errors.push_back(std::abs(c / p - 1));
    best = std::min(best, bench::median(errors));
  }
  return published.empty() ? 0 : best;
}

bool counts(result const& r) { return r.what->role == part::hold && r.short_of == 0; }

// The parts of KEY, of `sd KEY` (its deviation), or of KEY:CHUNK (another result of its program).
struct key_parts {
  std::string key, chunk;
  bool deviates = false;
};
key_parts parts_of(std::string const& name) {
  bool const deviates = name.starts_with("sd ");
  std::string const rest = deviates ? name.substr(3) : name;
  std::size_t const colon = rest.find(':');
  if (colon == rest.npos) return {rest, "", deviates};
  if (deviates)
    throw std::invalid_argument("claim: nobody knows how much a chunk deviates: " + name);
  return {rest.substr(0, colon), rest.substr(colon + 1)};
}

bool counts(judged const& j) { return j.published.holds.value_or(true); }

char const* word_of(std::optional<bool> const& holds, char const* none) {
  return !holds ? none : *holds ? "yes" : "no";
}

}  // namespace

std::string csv_of(std::vector<result> const& results, std::int64_t scale,
                   std::string const& beside) {
  std::string text =
      "source,table,row,machine,published,published_sd,simulated,simulated_sd,relative_error,role,"
      "scale,short_of,"
      "parameters_hash" +
      (beside.empty() ? "" : "," + beside) + "\n";
  for (result const& r : results) {
    bool const known = r.what->role != part::claims;
    text += fmt::format("{},{},{},{},{:g},{:g},{:.4g},{:.3g},{},{},{},{},{:016x}", r.what->source,
                        r.what->table, r.what->key, r.what->machine, r.what->published,
                        r.what->published_sd, r.simulated, r.simulated_sd,
                        known ? fmt::format("{:.4f}", r.error()) : "", name_of(r.what->role), scale,
                        r.short_of > 0 ? fmt::format("{:g}", r.short_of) : "", r.parameters_hash);
    if (!beside.empty()) text += r.beside > 0 ? fmt::format(",{:.4g}", r.beside) : ",";
    text += "\n";
  }
  return text;
}

std::vector<judged> judge_all(std::vector<claim> const& claims, std::vector<row> const& rows,
                              std::vector<result> const& results) {
  auto const known = [](double x) { return x > 0 ? std::optional(x) : std::nullopt; };
  auto const published = [&](std::string const& name) -> std::optional<double> {
    auto const [key, chunk, deviates] = parts_of(name);
    for (row const& r : rows)
      if (r.key == key)
        return chunk.empty() ? known(deviates ? r.published_sd : r.published) : std::nullopt;
    throw std::invalid_argument("claim: there is no row " + key);
  };
  auto const simulated = [&](std::string const& name) -> std::optional<double> {
    auto const [key, chunk, deviates] = parts_of(name);
    for (result const& r : results) {
      if (r.what->key != key) continue;
      if (chunk.empty()) return known(deviates ? r.simulated_sd : r.simulated);
      if (r.others.empty()) return std::nullopt;  // a kept result, without those of its chunks
      auto const found = r.others.find(r.what->op + "." + chunk);
      if (found == r.others.end())
        throw std::invalid_argument("claim: its program does not measure " + name);
      return known(found->second);
    }
    return std::nullopt;
  };
  std::vector<judged> all;
  for (claim const& c : claims)
    all.push_back({&c, judge(c.expression, published), judge(c.expression, simulated)});
  return all;
}

std::string csv_of(std::vector<judged> const& claims) {
  std::string text = "id,holds_published,holds_simulated,left,right\n";
  for (judged const& j : claims) {
    bool const known = j.simulated.holds.has_value();
    text += fmt::format(
        "{},{},{},{:.4g},{:.4g}\n", j.what->id, word_of(j.published.holds, "not published"),
        word_of(j.simulated.holds, "not run"), known ? j.simulated.left : j.published.left,
        known ? j.simulated.right : j.published.right);
  }
  return text;
}

std::vector<table_error> errors_by_table(std::vector<result> const& results) {
  std::vector<table_error> all;
  for (result const& r : results)
    if (counts(r) && std::none_of(all.begin(), all.end(),
                                  [&](auto const& t) { return t.table == r.what->table; }))
      all.push_back({r.what->table});
  for (table_error& t : all) {
    std::vector<double> errors, published, beside;
    for (result const& r : results) {
      if (r.what->table == t.table && r.beside > 0) beside.push_back(r.beside / r.simulated);
      if (!counts(r) || r.what->table != t.table) continue;
      errors.push_back(std::abs(r.error()));
      published.push_back(r.what->published);
    }
    t.beside_median = bench::median(beside);
    t.rows = static_cast<int>(errors.size());
    t.median = bench::median(errors);
    t.constant_median = best_constant(published);
  }
  return all;
}

double pooled_median(std::vector<result> const& results, std::vector<std::string> const& without) {
  std::vector<double> errors;
  for (result const& r : results)
    if (counts(r) && std::find(without.begin(), without.end(), r.what->table) == without.end())
      errors.push_back(std::abs(r.error()));
  return bench::median(errors);
}

std::string summary_of(std::vector<result> const& results, std::vector<judged> const& claims,
                       std::int64_t scale, std::string const& beside) {
  std::string text = "# Published and simulated\n\n";
  if (scale > 1)
    text += fmt::format(
        "**Scaled: tasks have 1/{} of their data. These numbers are no results.**\n\n", scale);
  std::vector<double> of_short;
  double seconds = 0;
  for (result const& r : results)
    if (r.short_of > 0 && r.what->role == part::hold)
      of_short.push_back(std::abs(r.error())), seconds = r.short_of;
  if (!of_short.empty())
    text += fmt::format(
        "**b_eff_io ran {:g} s instead of {:g} s: its rows are no results, and count nowhere. Held "
        "out: {}, median "
        "error "
        "{:.1f} %.**\n\n",
        seconds, full_seconds, of_short.size(), 100 * bench::median(of_short));
  text += "| table | rows held out | median error | of the best constant |";
  if (!beside.empty()) text += fmt::format(" {}, times the simulated |", beside);
  text += fmt::format("\n|---|---|---|---|{}\n", beside.empty() ? "" : "---|");
  std::vector<double> medians;
  for (table_error const& t : errors_by_table(results)) {
    text += fmt::format("| {} | {} | {:.1f} % | {:.1f} % |", t.table, t.rows, 100 * t.median,
                        100 * t.constant_median);
    if (!beside.empty())
      text += t.beside_median > 0 ? fmt::format(" {:.2f} |", t.beside_median) : " |";
    text += "\n";
    medians.push_back(t.median);
  }
  text += fmt::format(
      "\nAll rows held out: {:.1f} %; without the segmented tables {:.1f} %; median of the tables' "
      "medians {:.1f} %.\n",
      100 * pooled_median(results), 100 * pooled_median(results, {"PC-1.4", "PC-2.3"}),
      100 * bench::median(medians));
  text +=
      "\nMisses of more than 25 %:\n\n| row | published | simulated | error |\n|---|---|---|---|\n";
  for (result const& r : results)
    if (r.what->role != part::duplicate && r.what->role != part::claims &&
        std::abs(r.error()) > 0.25)
      text += fmt::format("| {} | {:g} | {:.4g} | {:+.0f} % |\n", r.what->key, r.what->published,
                          r.simulated, 100 * r.error());
  int held = 0, run = 0, itself = 0;
  for (judged const& j : claims) {
    if (!counts(j)) {
      ++itself;
    } else if (j.simulated.holds) {
      ++run;
      held += *j.simulated.holds ? 1 : 0;
    }
  }
  if (claims.empty()) return text;
  text += fmt::format("\nClaims: {} of {} hold; {} fail on the published numbers themselves.\n",
                      held, run, itself);
  for (judged const& j : claims)
    if (counts(j) && j.simulated.holds && !*j.simulated.holds)
      text += fmt::format("- {}: {} ({:.4g} and {:.4g})\n", j.what->id, j.what->sentence,
                          j.simulated.left, j.simulated.right);
  return text;
}

}  // namespace papers
