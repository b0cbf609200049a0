// SPDX-License-Identifier: BSD-3-Clause
#include "collective_report.hpp"

#include "origin.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace patterns {
namespace {

constexpr char const* header =
    "pattern,level,op,impl,ranks,bytes,seconds_median,seconds_min,mb_per_s,ratio_vs_mpi,ratio_vs_limit,file_calls,"
    "peak_rss_bytes";

bool starts(std::string const& text, char const* with) { return text.rfind(with, 0) == 0; }

// The kinds of rows that have an aim.
bool is_contiguous(measured const& m) { return m.how <= 1 && m.pattern != "dist3d" && m.pattern != "btio"; }
bool is_noncontiguous(measured const& m) { return m.how == 3 && m.pattern != "latency"; }
bool is_tiny(measured const& m) { return m.pattern == "tiled/8"; }

double least_of_limit(measured const& m) { return is_contiguous(m) ? 0.95 : is_tiny(m) ? 0.25 : 0.5; }
// The aims that a row misses: "< aim: 0.50 of the limit"; empty if none.
std::string missed(measured const& m) {
  std::string aims;
  if (m.vs_mpi >= 0 && m.vs_mpi < 1) aims = "1.00 of mpi";
  bool const has_limit = is_contiguous(m) || is_noncontiguous(m);
  if (has_limit && m.vs_limit >= 0 && m.vs_limit < least_of_limit(m)) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%s%.2f of the limit", aims.empty() ? "" : ", ", least_of_limit(m));
    aims += text.data();
  }
  return aims.empty() ? aims : "< aim: " + aims;
}
bool below(measured const& m) { return !missed(m).empty(); }

void print_ratio(std::FILE* out, double ratio) {
  if (ratio >= 0)
    std::fprintf(out, ",%.4f", ratio);
  else
    std::fputc(',', out);
}
void print_count(std::FILE* out, std::int64_t n) {
  if (n >= 0)
    std::fprintf(out, ",%lld", static_cast<long long>(n));
  else
    std::fputc(',', out);
}

using key = std::tuple<std::string, int, std::string, int>;
key key_of(measured const& m) { return {m.pattern, m.how, m.op, m.ranks}; }

}  // namespace

void print_collective_header(std::FILE* out) { std::fprintf(out, "%s\n", header); }

void print_collective(std::FILE* out, std::vector<measured> const& lines) {
  for (measured const& m : lines) {
    std::fprintf(out, "%s,%d,%s,%s,%d,%lld,%.9f,%.9f,%.1f", m.pattern.c_str(), m.how, m.op.c_str(),
                 m.implementation.c_str(), m.ranks, static_cast<long long>(m.bytes), m.median, m.low,
                 static_cast<double>(m.bytes) / m.median / 1e6);
    print_ratio(out, m.vs_mpi);
    print_ratio(out, m.vs_limit);
    print_count(out, m.file_calls);
    print_count(out, m.peak_rss_bytes);
    std::fputc('\n', out);
  }
  std::fflush(out);
}

named_run read_collective(std::string const& name, std::string const& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read: " + std::strerror(errno));
  std::string text;
  named_run run{name, {}, {}};
  int number = 1;
  bool more = static_cast<bool>(std::getline(file, text));
  for (; more && starts(text, comment.data()); more = static_cast<bool>(std::getline(file, text)), ++number)
    run.origin.push_back(text.substr(comment.size()));
  if (!more || text != header) throw std::runtime_error(path + " is no table of collective rows");
  std::vector<measured>& lines = run.lines;
  for (++number; std::getline(file, text); ++number) {
    std::vector<std::string> words;
    std::istringstream stream(text + ',');
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    try {
      if (words.size() != 13) throw std::invalid_argument("columns");
      auto const real = [&](std::size_t i) { return words[i].empty() ? -1.0 : std::stod(words[i]); };
      auto const whole = [&](std::size_t i) { return words[i].empty() ? -1 : std::stoll(words[i]); };
      lines.push_back({words[0], std::stoi(words[1]), words[2], words[3], std::stoi(words[4]), whole(5), real(6),
                       real(7), real(9), real(10), whole(11), whole(12)});
    } catch (std::logic_error const&) {
      throw std::runtime_error(path + ", line " + std::to_string(number) + " cannot be understood");
    }
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
  // The run in which argosy is least ahead, row by row; in the order of the first run.
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

void print_collective_summary(std::FILE* out, std::vector<measured> const& lines, bool verbose) {
  std::map<key, std::string> peers;
  for (measured const& m : lines)
    if (starts(m.implementation, "mpi:")) peers[key_of(m)] = m.implementation.substr(4);
  std::fprintf(out, "\n%-18s %5s %-8s %5s %10s %10s %9s %9s  %s\n", "pattern", "level", "op", "ranks", "argosy ms",
               "min", "vs mpi", "vs limit", peers.empty() ? "" : "peer");
  std::vector<measured> mine;
  for (measured const& m : lines)
    if (m.implementation == "argosy") mine.push_back(m);
  for (measured const& m : mine) {
    std::fprintf(out, "%-18s %5d %-8s %5d %10.3f %10.3f %9.2f %9.2f  %s%s\n", m.pattern.c_str(), m.how, m.op.c_str(),
                 m.ranks, m.median * 1e3, m.low * 1e3, m.vs_mpi, m.vs_limit,
                 peers.empty() ? "" : (peers[key_of(m)] + " ").c_str(), missed(m).c_str());
    if (verbose && !m.last.empty()) std::fprintf(out, "    %s\n", m.last.c_str());
  }

  std::fprintf(out, "\ngeometric means of argosy's speed %8s %9s %9s %9s %9s\n", "rows", "vs mpi", "least", "vs limit",
               "least");
  struct mean {
    double logs = 0, least = 0;
    int n = 0;
    void add(double ratio) {
      if (ratio <= 0) return;
      least = n == 0 ? ratio : std::min(least, ratio);
      logs += std::log(ratio);
      ++n;
    }
    double value() const { return n > 0 ? std::exp(logs / n) : 0; }
  };
  auto const line = [&](char const* name, std::function<bool(measured const&)> const& chosen) {
    mean mpi, limit;
    for (measured const& m : mine)
      if (chosen(m)) {
        mpi.add(m.vs_mpi);
        limit.add(m.vs_limit);
      }
    int const n = std::max(mpi.n, limit.n);
    if (n > 0)
      std::fprintf(out, "  %-31s %8d %9.2f %9.2f %9.2f %9.2f\n", name, n, mpi.value(), mpi.least, limit.value(),
                   limit.least);
  };
  line("level 3, noncontiguous", is_noncontiguous);
  for (char const* op : {"write", "rewrite", "read"})
    line((std::string("  ") + op).c_str(), [&](measured const& m) { return is_noncontiguous(m) && m.op == op; });
  line("  pieces of 64 bytes and more", [](measured const& m) { return is_noncontiguous(m) && !is_tiny(m); });
  line("  pieces of 8 bytes", [](measured const& m) { return is_noncontiguous(m) && is_tiny(m); });
  line("contiguous", is_contiguous);
  line("level 0 and 1, piece by piece", [](measured const& m) { return m.how <= 1 && !is_contiguous(m); });
  line("level 2", [](measured const& m) { return m.how == 2; });
  line("latency", [](measured const& m) { return m.pattern == "latency"; });
  int const n = static_cast<int>(std::count_if(mine.begin(), mine.end(), below));
  std::fprintf(out,
               "%d of %d rows below the aim: slower than the MPI library, or below 0.95 of the limit (contiguous),\n"
               "0.25 (level 3, 8 bytes), 0.5 (level 3, others)\n",
               n, static_cast<int>(mine.size()));
}

}  // namespace patterns
