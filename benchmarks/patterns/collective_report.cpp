// Implements collective_report.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "collective_report.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "../support/csv.hpp"
#include "../support/result_files.hpp"
#include "../support/statistics.hpp"

namespace patterns {
namespace {

constexpr char const* header =
    "pattern,level,op,impl,ranks,bytes,seconds_median,seconds_min,mb_per_s,ratio_vs_mpi,ratio_vs_"
    "limit,ratio_vs_own,file_calls,peak_rss_bytes";

// Returns true for a kind of rows that has an aim.
bool is_contiguous(measured const& m) {
  return m.how <= 1 && m.pattern != "dist3d" && m.pattern != "btio";
}
bool is_noncontiguous(measured const& m) { return m.how == 3 && m.pattern != "latency"; }
bool is_tiny(measured const& m) { return m.pattern == "tiled/8"; }

double least_of_limit(measured const& m) {
  return is_contiguous(m) ? 0.95 : is_tiny(m) ? 0.25 : 0.5;
}
// Returns the aims that a row misses: "< aim: 0.50 of the limit"; empty if none.
std::string missed(measured const& m) {
  std::string aims;
  if (m.vs_mpi >= 0 && m.vs_mpi < 1) aims = "1.00 of mpi";
  if (m.how == 3 && m.vs_own >= 0 && m.vs_own < 1)
    aims += fmt::format("{}1.00 of own", aims.empty() ? "" : ", ");
  bool const has_limit = is_contiguous(m) || is_noncontiguous(m);
  if (has_limit && m.vs_limit >= 0 && m.vs_limit < least_of_limit(m))
    aims += fmt::format("{}{:.2f} of the limit", aims.empty() ? "" : ", ", least_of_limit(m));
  return aims.empty() ? aims : "< aim: " + aims;
}
bool below(measured const& m) { return !missed(m).empty(); }

// Returns an empty text if the number is unknown.
template <class Number>
std::string known(Number x, fmt::format_string<Number&> format) {
  return x >= 0 ? fmt::format(format, x) : std::string();
}

using key = std::tuple<std::string, int, std::string, int>;
key key_of(measured const& m) { return {m.pattern, m.how, m.op, m.ranks}; }

}  // namespace

void print_collective_header(std::FILE* out) { fmt::print(out, "{}\n", header); }

void print_collective(std::FILE* out, std::vector<measured> const& lines) {
  for (measured const& m : lines)
    fmt::print(out, "{},{},{},{},{},{},{:.9f},{:.9f},{:.1f},{},{},{},{},{}\n", m.pattern, m.how,
               m.op, m.implementation, m.ranks, m.bytes, m.median, m.low,
               static_cast<double>(m.bytes) / m.median / 1e6, known(m.vs_mpi, "{:.4f}"),
               known(m.vs_limit, "{:.4f}"), known(m.vs_own, "{:.4f}"), known(m.file_calls, "{}"),
               known(m.peak_rss_bytes, "{}"));
  std::fflush(out);
}

named_run read_collective(std::string const& name, std::string const& path) {
  bench::csv_table const t(path, bench::text_of_file(path), header, "collective rows");
  named_run run{name, {}, t.comments()};
  for (std::size_t k = 0; k < t.size(); ++k) {
    measured m;
    m.pattern = t.at(k, "pattern");
    m.how = static_cast<int>(t.number(k, "level"));
    m.op = t.at(k, "op");
    m.implementation = t.at(k, "impl");
    m.ranks = static_cast<int>(t.number(k, "ranks"));
    m.bytes = t.number(k, "bytes");
    m.median = t.real(k, "seconds_median");
    m.low = t.real(k, "seconds_min");
    m.vs_mpi = t.real(k, "ratio_vs_mpi", -1);
    m.vs_limit = t.real(k, "ratio_vs_limit", -1);
    m.vs_own = t.real(k, "ratio_vs_own", -1);
    m.file_calls = t.number(k, "file_calls", -1);
    m.peak_rss_bytes = t.number(k, "peak_rss_bytes", -1);
    run.lines.push_back(std::move(m));
  }
  return run;
}

std::vector<std::string> origins(std::vector<named_run> const& runs) {
  std::vector<std::string> all;
  for (named_run const& run : runs)
    for (std::string const& line : run.origin) all.push_back(run.name + ": " + line);
  return all;
}

std::vector<measured> merge(std::vector<named_run> const& runs) {
  // The run in which argosy is least ahead, for each row; in the order of the first run.
  std::map<key, std::pair<double, named_run const*>> best;
  std::vector<key> order;
  for (named_run const& run : runs)
    for (measured const& m : run.lines) {
      if (m.implementation != "argosy") continue;
      auto const [found, is_new] = best.try_emplace(key_of(m), m.vs_mpi, &run);
      if (is_new) order.push_back(key_of(m));
      if (m.vs_mpi < found->second.first) found->second = {m.vs_mpi, &run};
    }
  std::vector<measured> all;
  for (key const& k : order) {
    named_run const& run = *best.at(k).second;
    for (measured m : run.lines) {
      if (key_of(m) != k) continue;
      if (m.implementation == "mpi") m.implementation += ":" + run.name;
      all.push_back(std::move(m));
    }
  }
  return all;
}

namespace {

// Prints argosy's speed in the chosen rows.
void print_means(std::FILE* out, std::vector<measured> const& mine, std::string const& name,
                 std::function<bool(measured const&)> const& chosen) {
  bench::geometric_mean mpi, limit, own;
  for (measured const& m : mine)
    if (chosen(m)) {
      mpi.add(m.vs_mpi);
      limit.add(m.vs_limit);
      own.add(m.vs_own);
    }
  int const n = std::max(mpi.count(), limit.count());
  if (n > 0)
    fmt::print(out, "  {:<31} {:>8} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}\n", name,
               n, mpi.value(), mpi.least(), limit.value(), limit.least(), own.value(), own.least());
}

}  // namespace

void print_collective_summary(std::FILE* out, std::vector<measured> const& lines, bool verbose) {
  std::map<key, std::string> peers;
  std::vector<measured> mine;
  for (measured const& m : lines) {
    if (m.implementation.starts_with("mpi:")) peers[key_of(m)] = m.implementation.substr(4);
    if (m.implementation == "argosy") mine.push_back(m);
  }
  fmt::print(out, "\n{:<18} {:>5} {:<8} {:>5} {:>10} {:>10} {:>9} {:>9} {:>9}  {}\n", "pattern",
             "level", "op", "ranks", "argosy ms", "min", "vs mpi", "vs limit", "vs own",
             peers.empty() ? "" : "peer");
  for (measured const& m : mine) {
    fmt::print(out,
               "{:<18} {:>5} {:<8} {:>5} {:>10.3f} {:>10.3f} {:>9.2f} {:>9.2f} {:>9.2f}  {}{}\n",
               m.pattern, m.how, m.op, m.ranks, m.median * 1e3, m.low * 1e3, m.vs_mpi, m.vs_limit,
               m.vs_own, peers.empty() ? "" : peers[key_of(m)] + " ", missed(m));
    if (verbose && !m.last.empty()) fmt::print(out, "    {}\n", m.last);
  }
  fmt::print(out, "\ngeometric means of argosy's speed {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
             "rows", "vs mpi", "least", "vs limit", "least", "vs own", "least");
  print_means(out, mine, "level 3, noncontiguous", is_noncontiguous);
  for (std::string const op : {"write", "rewrite", "read"})
    print_means(out, mine, "  " + op,
                [&](measured const& m) { return is_noncontiguous(m) && m.op == op; });
  print_means(out, mine, "  pieces of 64 bytes and more",
              [](measured const& m) { return is_noncontiguous(m) && !is_tiny(m); });
  print_means(out, mine, "  pieces of 8 bytes",
              [](measured const& m) { return is_noncontiguous(m) && is_tiny(m); });
  print_means(out, mine, "contiguous", is_contiguous);
  print_means(out, mine, "level 0 and 1, piece by piece",
              [](measured const& m) { return m.how <= 1 && !is_contiguous(m); });
  print_means(out, mine, "level 2", [](measured const& m) { return m.how == 2; });
  print_means(out, mine, "latency", [](measured const& m) { return m.pattern == "latency"; });
  fmt::print(out,
             "{} of {} rows below the aim: slower than the MPI library or, at level 3, than the "
             "exchange by hand (own);\n"
             "or below 0.95 of the limit (contiguous), "
             "0.25 (level 3, 8 bytes), 0.5 (level 3, others)\n",
             std::count_if(mine.begin(), mine.end(), below), mine.size());
}

}  // namespace patterns
