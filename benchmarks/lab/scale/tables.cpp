// The tables of the runs, and their picture.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <argosy/lab/cluster/scenario.hpp>

#include "../../support/chart.hpp"
#include "scale.hpp"

namespace scale {
namespace {

using run = benchmark::BenchmarkReporter::Run;
using bench::counter;

bool is_of_lattice(run const& r) { return r.run_name.function_name.starts_with("lattice4d/"); }
int ranks_of(run const& r) { return std::stoi(r.run_name.args); }
std::string mean_and_most(run const& r, std::string const& name, int digits) {
  return fmt::format("{:.{}f} ({:.0f})", counter(r, name), digits, counter(r, name + "_most"));
}

constexpr std::array<char const*, 3> ways{"romio", "transposition", "argosy"};
using row_of_ways = std::array<run const*, ways.size()>;

// Returns the time of the server with most stripes of the file, if it does nothing else.
double least_ms(setting const& s, std::int64_t file_bytes) {
  argosy::lab::virtual_disk const disk;
  std::int64_t const stripes = (file_bytes - 1) / disk.stripe_bytes + 1;
  std::int64_t const most = (stripes - 1) / s.servers + 1;
  return static_cast<double>(std::min(file_bytes, most * disk.stripe_bytes)) / 1e3 /
         static_cast<double>(disk.server_mb_per_s);
}

std::string line_of_ways(setting const& s, int ranks, row_of_ways const& all) {
  lattice::geometry const g(ranks, 0, s.local);
  std::string line =
      fmt::format("{:>6} {:>9.1f}", ranks, static_cast<double>(g.file_bytes()) / 1e6);
  for (run const* r : all)
    line += r == nullptr ? fmt::format(" | {:>8} {:>8} {:>8} {:>9}", "-", "-", "-", "-")
                         : fmt::format(" | {:>8.2f} {:>8.2f} {:>8.1f} {:>9.0f}",
                                       counter(*r, "write_ms"), counter(*r, "read_ms"),
                                       counter(*r, "messages"), counter(*r, "memory"));
  auto const [romio, user, argosy] = all;
  if (user != nullptr && argosy != nullptr)
    line += fmt::format(" | {:>7.2f}x {:>7.2f}x",
                        counter(*user, "write_ms") / counter(*argosy, "write_ms"),
                        counter(*user, "read_ms") / counter(*argosy, "read_ms"));
  else
    line += fmt::format(" | {:>8} {:>8}", "-", "-");
  if (argosy != nullptr) {
    double const least = least_ms(s, g.file_bytes());
    line += fmt::format(" | {:>8.2f} {:>8.2f} | {:>8.0f} {:>7.1f}",
                        least / counter(*argosy, "write_ms"), least / counter(*argosy, "read_ms"),
                        counter(*argosy, "view_bytes"), counter(*argosy, "real_s"));
  }
  return line + "\n";
}

// Adds a point to the line of that name.
void add_point(bench::line_panel& panel, run const& r, double value) {
  std::string const& name = r.run_name.function_name;
  auto const same = [&](bench::series const& s) { return s.name == name; };
  auto found = std::ranges::find_if(panel.lines, same);
  if (found == panel.lines.end()) found = panel.lines.insert(found, {name, {}, panel.lines.size()});
  found->points.push_back({std::log2(ranks_of(r)), value});
}

}  // namespace

std::string table_of_parts(bench::results const& runs) {
  std::string text;
  for (run const& r : runs) {
    if (is_of_lattice(r)) continue;
    if (text.empty())
      text = fmt::format(
          "\n{:<7} {:>7} {:>10} {:>7} {:>16} {:>16} {:>18} {:>18} {:>9} {:>8}\n"
          "{:<7} {:>7} {:>10} {:>7} {:>16} {:>16} {:>18} {:>18} {:>9} {:>8}\n",
          "view", "ranks", "virtual", "rounds", "messages,", "messages,", "view bytes,",
          "view bytes,", "bytes of", "real", "", "", "ms", "", "1st mean (most)",
          "last mean (most)", "1st mean (most)", "last mean (most)", "memory", "s");
    text += fmt::format(
        "{:<7} {:>7} {:>10.3f} {:>7.0f} {:>16} {:>16} {:>18} {:>18} {:>9.0f} {:>8.2f}\n",
        r.run_name.function_name, ranks_of(r), 1e3 * r.real_accumulated_time, counter(r, "rounds"),
        mean_and_most(r, "messages_1st", 1), mean_and_most(r, "messages", 1),
        mean_and_most(r, "view_bytes_1st", 0), mean_and_most(r, "view_bytes", 0),
        counter(r, "memory"), counter(r, "real_s"));
  }
  return text;
}

std::string table_of_lattice(setting const& s, bench::results const& runs) {
  std::map<int, row_of_ways> rows;
  for (run const& r : runs)
    for (std::size_t way = 0; way < ways.size(); ++way)
      if (r.run_name.function_name == std::string("lattice4d/") + ways[way])
        rows[ranks_of(r)][way] = &r;
  if (rows.empty()) return {};
  std::string text = fmt::format(
      "\n{:>6} {:>9} | {:>36} | {:>36} | {:>36} | {:>17} | {:>17} | {:>16}\n{:>6} {:>9}", "", "",
      "ROMIO's way: write, read", "transposition", "argosy", "argosy is faster",
      "argosy by servers", "argosy's", "ranks", "MB");
  for (std::size_t way = 0; way < ways.size(); ++way)
    text += fmt::format(" | {:>8} {:>8} {:>8} {:>9}", "ms", "ms", "messages", "memory");
  text += fmt::format(" | {:>8} {:>8} | {:>8} {:>8} | {:>8} {:>7}\n", "write", "read", "write",
                      "read", "view", "real s");
  for (auto const& [ranks, all] : rows) text += line_of_ways(s, ranks, all);
  return text;
}

std::string picture_of(bench::results const& runs) {
  std::vector<bench::line_panel> panels{
      {"virtual ms", {}}, {"messages of a rank", {}}, {"view bytes of a rank", {}}};
  std::vector<bench::tick> ticks;
  for (run const& r : runs) {
    double const ms = is_of_lattice(r) ? counter(r, "write_ms") : 1e3 * r.real_accumulated_time;
    add_point(panels[0], r, ms);
    add_point(panels[1], r, counter(r, "messages"));
    add_point(panels[2], r, counter(r, "view_bytes"));
    double const place = std::log2(ranks_of(r));
    if (std::ranges::none_of(ticks, [&](bench::tick const& t) { return t.place == place; }))
      ticks.push_back({place, std::to_string(ranks_of(r))});
  }
  return bench::line_chart("A collective write on virtual ranks", "ranks", ticks, panels);
}

}  // namespace scale
