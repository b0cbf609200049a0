// SPDX-License-Identifier: BSD-3-Clause
#include "independent_report.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace patterns {
namespace {

void print_ratio(std::FILE* out, double ratio) {
  if (ratio > 0)
    std::fprintf(out, ",%.3f", ratio);
  else
    std::fputc(',', out);
}

// Of those that are known.
double geometric_mean(std::vector<row> const& rows, std::function<bool(row const&)> const& chosen, char const* other) {
  double sum = 0;
  int n = 0;
  for (row const& r : rows)
    if (double const ratio = chosen(r) ? r.ratio("argosy", other) : 0; ratio > 0) {
      sum += std::log(ratio);
      ++n;
    }
  return n > 0 ? std::exp(sum / n) : 0;
}

}  // namespace

void print_csv_header(std::FILE* out) {
  std::fprintf(out, "pattern,piece_bytes,density,op,impl,ranks,bytes,seconds,mb_per_s,ratio_vs_mpi,ratio_vs_posix\n");
}

void print_csv(std::FILE* out, row const& r) {
  for (result const& i : r.results) {
    std::fprintf(out, "%s,%lld,%.3g,%s,%s,%d,%lld,%.9f,%.1f", r.pattern.c_str(), static_cast<long long>(r.piece_bytes),
                 r.density, name_of(r.op), i.implementation.c_str(), r.ranks, static_cast<long long>(r.bytes), i.median,
                 static_cast<double>(r.bytes) / i.median / 1e6);
    print_ratio(out, r.ratio(i.implementation, "mpi"));
    print_ratio(out, r.ratio(i.implementation, "posix"));
    std::fputc('\n', out);
  }
  std::fflush(out);
}

void print_summary(std::FILE* out, std::vector<row> const& rows, bool verbose) {
  std::fprintf(out, "\n%-12s %8s %8s %-6s %5s %12s %10s %9s %9s\n", "pattern", "piece", "density", "op", "ranks",
               "argosy us", "high/low", "vs mpi", "vs posix");
  for (row const& r : rows) {
    result const* a = r.find("argosy");
    if (!a) continue;
    double const mpi = r.ratio("argosy", "mpi"), posix = r.ratio("argosy", "posix");
    double const least = mpi > 0 && posix > 0 ? std::min(mpi, posix) : std::max(mpi, posix);
    bool const below = least > 0 && (least < 0.95 || (r.piece_bytes <= 64 && mpi > 0 && mpi < 2));
    std::fprintf(out, "%-12s %8lld %7.3g%% %-6s %5d %12.1f %10.2f %9.2f %9.2f%s\n", r.pattern.c_str(),
                 static_cast<long long>(r.piece_bytes), r.density * 100, name_of(r.op), r.ranks, a->median * 1e6,
                 a->high / a->low, mpi, posix, below ? "  < aim" : "");
    if (verbose) std::fprintf(out, "             %s\n", a->last.c_str());
  }
  std::fprintf(
      out,
      "density: of the bytes of all ranks together; high/low: the slowest round by the fastest; < aim: below 0.95 of "
      "the\nslower peer, or, with pieces of 64 bytes and less, not twice as fast as the MPI library\n");
  std::fprintf(out, "\ngeometric means of argosy's speed %34s %9s\n", "vs mpi", "vs posix");
  auto const line = [&](char const* name, std::function<bool(row const&)> const& chosen) {
    double const mpi = geometric_mean(rows, chosen, "mpi"), posix = geometric_mean(rows, chosen, "posix");
    if (mpi > 0 || posix > 0) std::fprintf(out, "  %-56s %9.2f %9.2f\n", name, mpi, posix);
  };
  line("reads", [](row const& r) { return r.op == operation::read; });
  line("writes", [](row const& r) { return r.op == operation::write; });
  line("pieces of 64 bytes or less", [](row const& r) { return r.piece_bytes <= 64; });
  line("all", [](row const&) { return true; });
}

}  // namespace patterns
