// Implements independent_report.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "independent_report.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "../support/statistics.hpp"

namespace patterns {
namespace {

// Returns an empty text if the ratio is unknown.
std::string known(double ratio) { return ratio > 0 ? fmt::format("{:.3f}", ratio) : std::string(); }

// Returns the statistics of argosy's speed in the chosen rows.
double mean_of(std::vector<row> const& rows, std::function<bool(row const&)> const& chosen,
               char const* other) {
  bench::geometric_mean mean;
  for (row const& r : rows)
    if (chosen(r)) mean.add(r.ratio("argosy", other));
  return mean.value();
}

}  // namespace

void print_csv_header(std::FILE* out) {
  fmt::print(out,
             "pattern,piece_bytes,density,op,impl,ranks,bytes,seconds,mb_per_s,ratio_vs_mpi,ratio_"
             "vs_posix\n");
}

void print_csv(std::FILE* out, row const& r) {
  for (result const& i : r.results)
    fmt::print(out, "{},{},{:.3g},{},{},{},{},{:.9f},{:.1f},{},{}\n", r.pattern, r.piece_bytes,
               r.density, name_of(r.op), i.implementation, r.ranks, r.bytes, i.median,
               static_cast<double>(r.bytes) / i.median / 1e6,
               known(r.ratio(i.implementation, "mpi")), known(r.ratio(i.implementation, "posix")));
  std::fflush(out);
}

void print_summary(std::FILE* out, std::vector<row> const& rows, bool verbose) {
  fmt::print(out, "\n{:<12} {:>8} {:>8} {:<6} {:>5} {:>12} {:>10} {:>9} {:>9}\n", "pattern",
             "piece", "density", "op", "ranks", "argosy us", "high/low", "vs mpi", "vs posix");
  for (row const& r : rows) {
    result const* a = r.find("argosy");
    if (!a) continue;
    double const mpi = r.ratio("argosy", "mpi"), posix = r.ratio("argosy", "posix");
    double const least = mpi > 0 && posix > 0 ? std::min(mpi, posix) : std::max(mpi, posix);
    bool const below = least > 0 && (least < 0.95 || (r.piece_bytes <= 64 && mpi > 0 && mpi < 2));
    fmt::print(out, "{:<12} {:>8} {:>7.3g}% {:<6} {:>5} {:>12.1f} {:>10.2f} {:>9.2f} {:>9.2f}{}\n",
               r.pattern, r.piece_bytes, r.density * 100, name_of(r.op), r.ranks, a->median * 1e6,
               a->high / a->low, mpi, posix, below ? "  < aim" : "");
    if (verbose) fmt::print(out, "             {}\n", a->last);
  }
  fmt::print(out,
             "density: of the bytes of all ranks together; high/low: the slowest round by the "
             "fastest; < aim: below 0.95 of "
             "the\nslower peer, or, with pieces of 64 bytes and less, not twice as fast as the MPI "
             "library\n");
  fmt::print(out, "\ngeometric means of argosy's speed {:>34} {:>9}\n", "vs mpi", "vs posix");
  auto const line = [&](char const* name, std::function<bool(row const&)> const& chosen) {
    double const mpi = mean_of(rows, chosen, "mpi"), posix = mean_of(rows, chosen, "posix");
    if (mpi > 0 || posix > 0) fmt::print(out, "  {:<56} {:>9.2f} {:>9.2f}\n", name, mpi, posix);
  };
  line("reads", [](row const& r) { return r.op == operation::read; });
  line("writes", [](row const& r) { return r.op == operation::write; });
  line("pieces of 64 bytes or less", [](row const& r) { return r.piece_bytes <= 64; });
  line("all", [](row const&) { return true; });
}

}  // namespace patterns
