// Prints the closing table: a line for each call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "../support/google.hpp"
#include "cost.hpp"

namespace calls {

inline void print_table(std::FILE* out, setting const&, bench::results const& runs) {
  fmt::print(out,
             "\nns per call of the slowest rank, medians; in brackets nine tenths of the rounds\n\n"
             "{:<34} {:>8} {:>8} {:>8}  {:>24}  {:>20} {:>6} {:>7}\n",
             "call", "raw", "MPI", "argosy", "argosy - raw", "MPI / argosy", "heap", "instr.");
  for (auto const& r : runs) {
    auto const text = [&](char const* name) {
      double const x = bench::counter(r, name);
      return x >= 0 ? fmt::format("{:.0f}", x) : std::string("-");
    };
    fmt::print(out, "{:<34} {:>8} {:>8} {:>8}  {:>24}  {:>20} {:>6.1f} {:>7}\n",
               r.run_name.function_name, text("raw"), text("mpi"), text("argosy"),
               bench::spread_text(r, "above", 0), bench::spread_text(r, "ratio", 2),
               bench::counter(r, "heap"), text("instructions"));
  }
}

}  // namespace calls
