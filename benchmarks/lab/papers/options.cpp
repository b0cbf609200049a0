// Implements options.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

namespace papers {
namespace {

constexpr bench::option_info table[] = {
    {"--table", "NAME", "only these tables, such as PC-1.4 or HX-3,HX-4"},
    {"--row", "KEY", "only this row, as rows.csv names it"},
    {"--claims", "", "judge the papers' sentences, too, and run what only they need"},
    {"--calibrate", "NAME",
     "fit this machine to its rows for that, and print what they say of its parameters"},
    {"--rotate", "N",
     "with --calibrate: fit to other rows, as each table's roles move down by N places"},
    {"--scale", "K",
     "tasks have 1/K of their data: to see that it works, not for results (default: 1)"},
    {"--seconds", "T",
     "b_eff_io runs T seconds: no results, if fewer than the published 1800 (default)"},
    {"--beside", "NAME",
     "what this software would have done on the same machine: posix, ibm_prototype, ibm_pe, "
     "romio_1, argosy, none (default: argosy)"},
    {"--repeat", "N", "runs of each program, with seeds 1 ... N (default: 1)"},
    {"--csv", "FILE", "a line for each row; claims go to FILE with .claims before its ending"},
    {"--summary", "FILE", "medians, misses and claims as Markdown"},
    {"--plots", "DIR", "a picture of each table"},
    {"--publish", "DIR",
     "renew the tables, pictures and page of this folder by these rows and all claims"},
    {"--against", "DIR",
     "fail if a rate is not within 2 % of the folder's tables, or a claim has another verdict"},
    {"--check", "", "fail if a row cannot be run, or has no rate"},
    {"--data", "DIR", "where rows.csv, claims.csv and machines/ are"},
};

}  // namespace

bench::program const usage{
    "bench_papers",
    "Published experiments, run again on descriptions of the machines they were made on, in "
    "virtual time.",
    table,
    "Without options all rows are run, and printed with what was published: MB/s of 10^6 bytes."};

options options_from(bench::arguments const& given) {
  options o;
  o.table = given.value("--table");
  o.row = given.value("--row");
  o.claims = given.has("--claims");
  o.calibrate = given.value("--calibrate");
  o.rotate = given.small_number("--rotate", o.rotate, 0, 1000);
  o.scale = given.number("--scale", o.scale, 1, 1 << 20);
  o.seconds = given.real("--seconds", o.seconds, 1, 1e6);
  o.repetitions = given.small_number("--repeat", o.repetitions, 1, 100);
  o.csv = given.value("--csv");
  o.summary = given.value("--summary");
  o.plots = given.value("--plots");
  o.check = given.has("--check");
  o.publish = given.value("--publish");
  o.against = given.value("--against");
  bool const keeps = !o.publish.empty() || !o.against.empty();
  if (keeps && (o.scale > 1 || o.seconds < full_seconds))
    throw bench::usage_error(
        "--publish and --against need full size: neither --scale nor --seconds");
  o.claims = o.claims || keeps;
  o.beside =
      given.choice("--beside", {"argosy", "posix", "ibm_prototype", "ibm_pe", "romio_1", "none"});
  if (o.beside == "none") o.beside.clear();
  o.data = given.value("--data", ARGOSY_PAPERS_DATA);
  return o;
}

}  // namespace papers
