// Prints the closing table: a line for each case with its ratios, marked if it misses its aim.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "../support/google.hpp"

namespace contest {

using bench::counter;

// The least ratios that a row should reach.
struct aims {
  double loop, mpi;
};

// Returns the aims by the length of the pieces, which the name contains: "stride/8B/...". Data that
// does not fit into the caches is limited by memory, so no contestant is faster than the loop.
inline aims aims_of(std::string const& name) {
  auto const slash = name.rfind('/', name.find("B/"));
  double const length = std::atof(name.c_str() + slash + 1);
  if (length >= 256) return {0.95, 0.95};
  if (name.find("MiB") != std::string::npos || length > 16) return {0.9, 0};
  return {0.9, length <= 8 ? 5 : 2.5};
}

inline void print_copies(std::FILE* out, bench::results const& runs) {
  fmt::print(out,
             "\nTime of the twin / time of argosy: median (spread of the middle four fifths of the "
             "rounds); above 1 "
             "argosy is faster\n\n{:<40} {:>7}  {:>20}  {:>22}  {:>20}  {:>20}\n",
             "case", "GB/s", "hand-written loop", "MPI_Pack/Unpack", "memcpy", "pack + unpack");
  int cases = 0, missed = 0;
  for (auto const& r : runs) {
    double const loop = counter(r, "vs_loop"), mpi = counter(r, "vs_mpi_pack");
    if (loop < 0) continue;
    aims const aim = aims_of(r.run_name.function_name);
    bool const misses = loop < aim.loop || (mpi >= 0 && mpi < aim.mpi);
    ++cases;
    missed += misses;
    fmt::print(out, "{:<40} {:>7.2f}  {:>20}  {:>22}  {:>20}  {:>20}{}\n", r.run_name.function_name,
               counter(r, "bytes_per_second") / 1e9, bench::spread_text(r, "vs_loop", 2),
               bench::spread_text(r, "vs_mpi_pack", 2), bench::spread_text(r, "vs_memcpy", 2),
               bench::spread_text(r, "vs_pack_unpack", 2), misses ? "  <- below the aim" : "");
  }
  fmt::print(out,
             "\n{} cases, {} below the aim: 0.9 of the loop; 5 times MPI for pieces of up to 8 "
             "bytes, 2.5 times at "
             "16; 0.95 of both from 256 on\n",
             cases, missed);
}

inline void print_seeks(std::FILE* out, bench::results const& runs) {
  fmt::print(out, "\nSeek by position and by offset\n\n{:<40} {:>7}\n", "case", "ns");
  for (auto const& r : runs)
    if (counter(r, "vs_loop") < 0)
      fmt::print(out, "{:<40} {:>7.1f}\n", r.run_name.function_name, r.GetAdjustedRealTime());
}

}  // namespace contest
