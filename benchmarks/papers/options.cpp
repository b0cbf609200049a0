// Implements options.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "software.hpp"

namespace papers {

namespace {

[[noreturn]] void usage(int status) {
  std::fputs(
      "Published experiments, run again on descriptions of the machines they were made on, in virtual time.\n"
      "  bench_papers [options]\n"
      "  --table NAME      only these tables, such as PC-1.4 or HX-3,HX-4\n"
      "  --row KEY         only this row, as rows.csv names it\n"
      "  --claims          judge the papers' sentences, too, and run what only they need\n"
      "  --calibrate NAME  fit this machine to its rows for that, and print what they say of its parameters\n"
      "  --scale K         tasks have 1/K of their data: to see that it works, not for results (default: 1)\n"
      "  --seconds T       b_eff_io runs T seconds: no results, if fewer than the published 1800 (default)\n"
      "  --beside NAME     what this software would have done on the same machine: posix, ibm_prototype, ibm_pe, "
      "romio_1, argosy,\n"
      "                    none (default: argosy)\n"
      "  --repeat N        runs of each program, with seeds 1 ... N (default: 1)\n"
      "  --csv FILE        a line for each row; claims go to FILE with .claims before its ending\n"
      "  --summary FILE    medians, misses and claims as Markdown\n"
      "  --plots DIR       a picture of each table\n"
      "  --check           fail if a row cannot be run, or has no rate\n"
      "  --data DIR        where rows.csv, claims.csv and machines/ are\n"
      "  --help\n"
      "Without options all rows are run, and printed with what was published: MB/s of 10^6 bytes.\n",
      status == 0 ? stdout : stderr);
  std::exit(status);
}

[[noreturn]] void refuse(char const* option, char const* why) {
  std::fprintf(stderr, "bench_papers: %s %s\n", option, why);
  std::exit(2);
}

std::int64_t number(char const* option, char const* text, std::int64_t most) {
  std::int64_t n = 0;
  auto const [end, error] = std::from_chars(text, text + std::strlen(text), n);
  if (error != std::errc() || *end != 0 || n < 1 || n > most) refuse(option, "takes a number from 1 on");
  return n;
}

}  // namespace

options parse(int argc, char** argv) {
  options o;
  o.data = ARGOSY_PAPERS_DATA;
  for (int k = 1; k < argc; ++k) {
    std::string_view const a = argv[k];
    auto const value = [&] {
      if (k + 1 >= argc) refuse(argv[k], "needs a value");
      return argv[++k];
    };
    if (a == "--help") usage(0);
    if (a == "--table")
      o.table = value();
    else if (a == "--row")
      o.row = value();
    else if (a == "--claims")
      o.claims = true;
    else if (a == "--calibrate")
      o.calibrate = value();
    else if (a == "--scale")
      o.scale = number("--scale", value(), 1 << 20);
    else if (a == "--seconds")
      o.seconds = static_cast<double>(number("--seconds", value(), 1'000'000));
    else if (a == "--repeat")
      o.repetitions = static_cast<int>(number("--repeat", value(), 100));
    else if (a == "--csv")
      o.csv = value();
    else if (a == "--summary")
      o.summary = value();
    else if (a == "--plots")
      o.plots = value();
    else if (a == "--check")
      o.check = true;
    else if (a == "--beside") {
      o.beside = value();
      if (o.beside == "none")
        o.beside.clear();
      else if (find_software(o.beside) == nullptr)
        refuse("--beside", "takes posix, ibm_prototype, ibm_pe, romio_1, argosy or none");
    } else if (a == "--data")
      o.data = value();
    else
      usage(2);
  }
  return o;
}

}  // namespace papers
