// Published experiments, run again in virtual time on descriptions of their machines.
// SPDX-License-Identifier: BSD-3-Clause
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "../../support/result_files.hpp"
#include "../../support/statistics.hpp"
#include "calibrate.hpp"
#include "kept.hpp"
#include "options.hpp"
#include "page.hpp"
#include "report.hpp"

namespace {

using namespace papers;

void print_fit(std::string const& machine, fit const& f) {
  fmt::print("{}: {} rows, badness {:.1f} before, {:.1f} now\n", machine, f.rows, f.badness_before,
             f.badness);
  for (fitted const& p : f.parameters)
    fmt::print("  {:<24} {:>10.4g} -> {:<10.4g} +- {:.0f} %{}\n", p.name, p.before, p.value,
               100 * p.relative_error,
               p.relative_error > 0.5 ? "  not identified: keep its source's value" : "");
  fmt::print("covariance of the logarithms:\n");
  for (auto const& line : f.covariance) {
    for (double const x : line) fmt::print(" {:>9.2e}", x);
    fmt::print("\n");
  }
}

// Returns true if `name` is one of the comma-separated names.
bool is_among(std::string const& names, std::string const& name) {
  return ("," + names + ",").find("," + name + ",") != names.npos;
}

// Returns true if the row is to be run. Rows for claims are run only if they are asked for.
bool wanted(options const& o, row const& r) {
  if (r.role == part::claims && !o.claims && o.table.empty() && o.row.empty()) return false;
  return r.role != part::out && (o.table.empty() || is_among(o.table, r.table)) &&
         (o.row.empty() || o.row == r.key) && (o.calibrate.empty() || o.calibrate == r.machine);
}

std::vector<row> all_rows(options const& o) {
  std::vector<row> rows = read_rows("rows.csv", bench::text_of_file(o.data + "/rows.csv"));
  for (row& r : read_rows("claim_rows.csv", bench::text_of_file(o.data + "/claim_rows.csv")))
    rows.push_back(std::move(r));
  return rows;
}

void print_result(options const& o, result const& x) {
  row const& r = *x.what;
  bool const known = r.role != part::claims;
  fmt::print("{:<34} {:>10} {:>10.4g} {:>9}  {:<9}  {}{}\n", r.key,
             known ? fmt::format("{:g}", r.published) : "", x.simulated,
             known ? fmt::format("{:+.0f} %", 100 * x.error()) : "", name_of(r.role),
             x.beside > 0        ? fmt::format("{:.4g}", x.beside)
             : o.repetitions > 1 ? fmt::format("sd {:.3g}", x.simulated_sd)
                                 : "",
             x.short_of > 0 ? fmt::format("  T = {:g} s", x.short_of) : "");
  std::fflush(stdout);
}

// Fits the machine to the wanted rows, and prints what that does to rows that are held out, whether
// roles are rotated or not.
void fit_machine(options const& o, laboratory& lab, std::vector<row> const& rows) {
  std::vector<row> chosen;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(chosen),
               [&](row const& r) { return wanted(o, r); });
  std::vector<row> to = chosen;
  rotate_roles(to, o.rotate);
  auto const median = [&] {
    std::vector<double> errors;
    for (std::size_t k = 0; k < to.size(); ++k)
      if (to[k].role == part::hold && chosen[k].role == part::hold)
        errors.push_back(std::abs(lab.measure(to[k]).error()));
    return std::pair(errors.size(), errors.empty() ? 0.0 : 100 * bench::median(errors));
  };
  auto const [n, before] = median();
  print_fit(o.calibrate, calibrate(lab, o.calibrate, to, bench::say));
  fmt::print(
      "median error of {} rows that are held out either way: {:.1f} % before, {:.1f} % now\n", n,
      before, median().second);
}

// Measures the wanted rows. Sets `well` to false if --check finds a fault.
std::vector<result> measured(options const& o, laboratory& lab, std::vector<row> const& rows,
                             bool& well) {
  std::vector<result> results;
  fmt::print("{:<34} {:>10} {:>10} {:>8}  {:<9}  {}\n", "row", "published", "simulated", "error",
             "role", o.beside);
  for (row const& r : rows) {
    if (!wanted(o, r)) continue;
    bench::say(r.key);
    results.push_back(lab.measure(r));
    if (!o.beside.empty() && r.role != part::claims)
      results.back().beside = lab.measure_as(r, o.beside);
    bench::say("");
    result const& x = results.back();
    print_result(o, x);
    if (o.check && !(x.simulated > 0 && x.simulated < 1e6)) well = false;
  }
  if (results.empty()) throw std::runtime_error("no row is named so");
  return results;
}

bool put_plots(std::string const& directory, std::vector<result> const& of,
               std::vector<result> const& results, std::string const& beside) {
  std::set<std::string> tables;
  for (result const& r : of)
    if (is_drawn(*r.what)) tables.insert(r.what->table);
  bool well = true;
  for (std::string const& t : tables)
    well = bench::put_picture(directory, t, plot(t, results, beside)) && well;
  return well;
}

// Renews the tables and pictures of what was measured, and the page of all that is kept.
bool publish(options const& o, std::vector<row> const& rows, std::vector<claim> const& claims,
             std::vector<result> const& measured) {
  kept_results const kept = read_kept(o.publish, rows);
  std::vector<result> const results = with_kept(rows, measured, kept);
  std::vector<judged> const verdicts = with_kept(judge_all(claims, rows, results), kept);
  std::filesystem::create_directories(o.publish);
  bool well = put_plots(o.publish, measured, results, "");
  std::set<std::string> tables;
  for (result const& r : measured) tables.insert(r.what->table);
  for (std::string const& t : tables)
    well = bench::put(o.publish + "/" + t + ".csv", table_csv(t, results)) && well;
  well = bench::put(o.publish + "/claims.csv", csv_of(verdicts)) && well;
  auto const words = read_table_words("tables.csv", bench::text_of_file(o.data + "/tables.csv"));
  return bench::put(o.publish + "/README.md", page_of(words, rows, results, verdicts)) && well;
}

// Returns true if nothing moved.
bool compare(options const& o, std::vector<row> const& rows, std::vector<result> const& measured,
             std::vector<judged> const& verdicts) {
  std::vector<std::string> const all = moved(measured, verdicts, read_kept(o.against, rows));
  for (std::string const& sentence : all) fmt::print("{}\n", sentence);
  if (!all.empty()) fmt::print("If that is meant, renew the tables with --publish {}\n", o.against);
  return all.empty();
}

int run(options const& o) {
  std::vector<row> const rows = all_rows(o);
  std::vector<claim> const claims =
      o.claims ? read_claims("claims.csv", bench::text_of_file(o.data + "/claims.csv"))
               : std::vector<claim>();
  laboratory lab(o.data + "/machines", o.scale, o.repetitions, o.seconds);
  if (!o.calibrate.empty()) fit_machine(o, lab, rows);
  bool well = true;
  std::vector<result> const results = measured(o, lab, rows, well);
  std::vector<judged> const verdicts = judge_all(claims, rows, results);
  std::string const summary = summary_of(results, verdicts, o.scale, o.beside);
  fmt::print("\n{}\n{:.4g} events were simulated.\n", summary, static_cast<double>(lab.events()));
  if (!o.csv.empty()) well = bench::put(o.csv, csv_of(results, o.scale, o.beside)) && well;
  if (!o.csv.empty() && o.claims)
    well = bench::put(bench::beside(o.csv, ".claims"), csv_of(verdicts)) && well;
  if (!o.summary.empty()) well = bench::put(o.summary, summary) && well;
  if (!o.plots.empty()) well = put_plots(o.plots, results, results, o.beside) && well;
  if (!o.publish.empty()) well = publish(o, rows, claims, results) && well;
  if (!o.against.empty()) well = compare(o, rows, results, verdicts) && well;
  return well ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
#ifdef M_MMAP_THRESHOLD
  // Messages of megabytes come and go. The memory of one is used for the next, because new pages
  // from the system take longer than the copies do.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // more is refused
  mallopt(M_TRIM_THRESHOLD, -1);        // never
#endif
  int status = 0;
  auto const o = bench::options_of(usage, argc, argv, status, options_from);
  try {
    return o ? run(*o) : status;
  } catch (std::exception const& e) {
    bench::say("");
    fmt::print(stderr, "bench_papers: {}\n", e.what());
    return 1;
  }
}
