// Implements page.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "../../support/csv.hpp"
#include "../../support/statistics.hpp"

namespace papers {

namespace {

constexpr double good = 0.15, fair = 0.25;
constexpr char const* papers_in_order[] = {"PC", "HX", "BE", "TR", "ON"};

bool same_experiment(row const& a, row const& b) {
  return a.machine == b.machine && a.software == b.software && a.workload == b.workload &&
         a.op == b.op && a.nodes == b.nodes && a.per_node == b.per_node &&
         a.bytes_per_task == b.bytes_per_task && a.transfer_bytes == b.transfer_bytes &&
         a.stripe_bytes == b.stripe_bytes && a.unique == b.unique && a.largeblock == b.largeblock &&
         a.hints == b.hints;
}

std::string percent(double x) {
  return fmt::format("{:.{}f} %", 100 * x, x < 0.0995 && x > 0 ? 1 : 0);
}

std::string words_of(noise const& n) {
  if (n.deviation <= 0 && n.twice <= 0) return "not published";
  if (n.twice <= 0) return percent(n.deviation);
  return fmt::format("{}, twice {}", percent(n.deviation), percent(n.twice));
}

char const* verdict_of(table_error const& e, noise const& n) {
  if (e.median <= good) return "within 15 %";
  if (e.median <= std::max(n.deviation, n.twice)) return "within its noise";
  if (e.median <= fair) return "within 25 %";
  return e.median < e.constant_median ? "missed, better than a constant" : "missed";
}

table_error const* error_of(std::vector<table_error> const& all, std::string const& table) {
  for (table_error const& e : all)
    if (e.table == table) return &e;
  return nullptr;
}

std::string summary_table(std::vector<table_words> const& words, std::vector<row> const& rows,
                          std::vector<result> const& results,
                          std::vector<table_error> const& errors) {
  std::string text =
      "| table | rows held out | median error | noise | best constant | verdict |\n"
      "|---|---:|---:|---|---:|---|\n";
  for (table_words const& w : words) {
    table_error const* const e = error_of(errors, w.table);
    if (e == nullptr) continue;
    noise const n = noise_of(w.table, rows);
    text += fmt::format("| {}, {} | {} | {} | {} | {} | {} |\n", w.table, w.title, e->rows,
                        percent(e->median), words_of(n), percent(e->constant_median),
                        verdict_of(*e, n));
  }
  std::vector<double> medians;
  int by_half = 0, with_spread = 0;
  for (table_error const& e : errors) {
    medians.push_back(e.median);
    if (e.constant_median <= 0.1) continue;
    ++with_spread;
    by_half += e.median <= e.constant_median / 2 ? 1 : 0;
  }
  text += fmt::format(
      "\n| measure | reached |\n|---|---:|\n"
      "| median of all rows held out | {} |\n"
      "| without the two segmented tables | {} |\n"
      "| median of the tables' medians | {} |\n"
      "| half of the best constant's error, if that is above 10 % | {} of {} tables |\n",
      percent(pooled_median(results)), percent(pooled_median(results, {"PC-1.4", "PC-2.3"})),
      percent(bench::median(medians)), by_half, with_spread);
  return text;
}

// A claim that its own paper's numbers contradict does not count.
bool counts(judged const& j) {
  return j.published.holds.value_or(true) && j.simulated.holds.has_value();
}

std::string claims_table(std::vector<judged> const& claims) {
  std::string text = "| paper | claims | hold here |\n|---|---:|---:|\n";
  for (char const* const paper : papers_in_order) {
    int all = 0, held = 0;
    for (judged const& j : claims) {
      if (j.what->source != paper || !counts(j)) continue;
      ++all;
      held += *j.simulated.holds ? 1 : 0;
    }
    if (all > 0) text += fmt::format("| {} | {} | {} |\n", paper, all, held);
  }
  return text;
}

// Breaks a sentence into lines of a page.
std::string wrapped(std::string const& sentence) {
  constexpr std::size_t widest = 100;
  std::string text, line;
  for (std::size_t at = 0; at < sentence.size();) {
    std::size_t const end = std::min(sentence.find(' ', at), sentence.size());
    std::string const word = sentence.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > widest) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return text + line + "\n";
}

}  // namespace

std::vector<table_words> read_table_words(std::string const& file, std::string_view text) {
  bench::csv_table const t(file, text, "table,title,reason", "words for tables");
  std::vector<table_words> all;
  for (std::size_t k = 0; k < t.size(); ++k)
    all.push_back({t.at(k, "table"), t.at(k, "title"), t.at(k, "reason")});
  return all;
}

noise noise_of(std::string const& table, std::vector<row> const& rows) {
  noise n;
  std::vector<double> deviations, differences;
  for (row const& r : rows) {
    if (r.table != table || r.published <= 0 || r.role == part::out) continue;
    if (r.published_sd > 0) deviations.push_back(r.published_sd / r.published);
    for (row const& other : rows)
      if (&other != &r && other.published > 0 && other.role != part::out &&
          same_experiment(r, other))
        differences.push_back(std::abs(r.published - other.published) * 2 /
                              (r.published + other.published));
  }
  n.deviation = bench::median(deviations);
  n.twice = bench::median(differences);
  n.pairs = static_cast<int>(differences.size());
  return n;
}

std::string page_of(std::vector<table_words> const& words, std::vector<row> const& rows,
                    std::vector<result> const& results, std::vector<judged> const& claims) {
  std::vector<table_error> const errors = errors_by_table(results);
  std::string text =
      "# Published and simulated, by table\n\n"
      "After reading this page you know how near the simulated machines come to each published "
      "table.\nThe option `--publish` of `bench_papers` writes it with the tables and pictures of "
      "this "
      "folder. The\ncauses of misses are in [published.md](../published.md).\n\n"
      "Errors are those of rows that were held out. *Noise* is the median deviation that the "
      "paper\n"
      "prints, and the median difference of rows that it measured twice.\n\n";
  text += summary_table(words, rows, results, errors) + "\n" + claims_table(claims);
  std::set<std::string> run, drawn;
  for (result const& r : results) {
    run.insert(r.what->table);
    if (is_drawn(*r.what)) drawn.insert(r.what->table);
  }
  for (table_words const& w : words) {
    if (!run.contains(w.table)) continue;
    text += fmt::format("\n## {}: {}\n\n", w.table, w.title);
    if (drawn.contains(w.table)) text += fmt::format("![{}]({}.svg)\n\n", w.table, w.table);
    text += fmt::format("Rows: [{}.csv]({}.csv).\n", w.table, w.table);
    if (!w.reason.empty()) text += "\n" + wrapped(w.reason);
  }
  text += "\n## Claims that fail here\n\nAll verdicts: [claims.csv](claims.csv).\n\n";
  text += "| claim | sentence | the sides of its comparison here |\n|---|---|---|\n";
  std::string causes = "\n| claim | why it fails |\n|---|---|\n";
  for (judged const& j : claims) {
    if (!counts(j) || *j.simulated.holds) continue;
    text += fmt::format("| {} | {} | {:.4g} and {:.4g} |\n", j.what->id, j.what->sentence,
                        j.simulated.left, j.simulated.right);
    causes += fmt::format("| {} | {} |\n", j.what->id, j.what->miss);
  }
  text += causes;
  return text;
}

}  // namespace papers
