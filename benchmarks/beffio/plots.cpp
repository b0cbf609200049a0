// SPDX-License-Identifier: BSD-3-Clause
#include "plots.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "../support/chart.hpp"
#include "print.hpp"

namespace beffio {
namespace {

using bench::point;
using bench::series;
using bench::tick;

std::vector<tick> chunk_ticks(std::int64_t longest) {
  std::vector<tick> ticks;
  auto const chunks = compared_chunks(longest);
  for (std::size_t k = 0; k < chunks.size(); ++k)
    ticks.push_back({static_cast<double>(chunk_places[k]), chunk_text(chunks[k])});
  // Chunks that are a little longer lie close, so their names have only the difference.
  for (std::size_t k : {1u, 3u, 5u}) ticks[k].name = "+ 8";
  return ticks;
}

std::vector<point> over_chunks(run_result const& r, int partition, method m, int type) {
  std::vector<point> points;
  auto const numbers = compared_patterns(type);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    cell const* const c = r.find(partition, m, type, numbers[k]);
    points.push_back({static_cast<double>(chunk_places[k]), c == nullptr ? 0 : c->rate()});
  }
  return points;
}

bool any(std::vector<point> const& points) {
  return std::any_of(points.begin(), points.end(), [](auto const& p) { return p.value > 0; });
}

// Returns the text with only those characters that file names may have.
std::string slug(std::string const& text) {
  std::string out;
  for (char const c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_')
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

std::string over_types(run_result const& r, int n, method m) {
  std::vector<series> lines;
  for (int t = 0; t < types; ++t) {
    auto points = over_chunks(r, n, m, t);
    if (any(points))
      lines.push_back({fmt::format("{}: {}", t, type_names[static_cast<std::size_t>(t)]),
                       std::move(points), static_cast<std::size_t>(t)});
  }
  if (lines.empty()) return {};
  return bench::line_chart(fmt::format("{}, {}, {}", name_of(m), ranks_text(n), r.label()),
                           "chunk in the file", chunk_ticks(r.longest()), {{"MB/s", lines}});
}

// Runs with names that differ.
struct named {
  run_result const* run;
  std::string name;
};
std::vector<named> named_runs(std::vector<run_result> const& runs,
                              std::vector<run_result> const& others) {
  std::vector<named> all;
  std::set<std::string> taken;
  for (auto const* const list : {&runs, &others})
    for (run_result const& r : *list) {
      std::string name = r.label();
      if (list == &others && taken.count(name) != 0) name += ", " + r.date;
      for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}, {}", r.label(), k);
      all.push_back({&r, name});
    }
  return all;
}

std::string over_methods(std::vector<named> const& runs, int n, int type) {
  std::vector<series> lines;
  for (std::size_t k = 0; k < runs.size(); ++k)
    for (method const m : methods) {
      auto points = over_chunks(*runs[k].run, n, m, type);
      if (any(points))
        lines.push_back({fmt::format("{}, {}", name_of(m), runs[k].name), std::move(points),
                         static_cast<std::size_t>(m), static_cast<int>(k)});
    }
  if (lines.empty()) return {};
  return bench::line_chart(fmt::format("type {}, {}, {}", type,
                                       type_names[static_cast<std::size_t>(type)], ranks_text(n)),
                           "chunk in the file", chunk_ticks(runs.front().run->longest()),
                           {{"MB/s", lines}});
}

std::string side_by_side(std::vector<named> const& runs, int n) {
  std::vector<std::string> groups, bars;
  for (int t = 0; t < types; ++t) groups.emplace_back(type_names[static_cast<std::size_t>(t)]);
  for (named const& r : runs) bars.push_back(r.name);
  std::vector<bench::bar_panel> panels;
  for (method const m : methods) {
    bench::bar_panel p{std::string(name_of(m)), {}};
    for (int t = 0; t < types; ++t) {
      auto& group = p.values.emplace_back();
      for (named const& r : runs) group.push_back(r.run->type_value(n, m, t));
    }
    panels.push_back(std::move(p));
  }
  return bench::bar_chart(fmt::format("{}: types as a whole", ranks_text(n)), "MB/s", groups, bars,
                          panels);
}

// Patterns of the seven chunks, and the others together.
std::string time_shares(run_result const& r, int n) {
  auto const chunks = compared_chunks(r.longest());
  std::vector<std::string> parts;
  for (std::int64_t const c : chunks) parts.push_back(chunk_text(c));
  parts.insert(parts.end(), {"other patterns", "open, close"});
  std::vector<bench::share_row> rows;
  for (method const m : methods)
    for (int t = 0; t < types; ++t) {
      bench::share_row row{
          fmt::format("{}, {}", name_of(m), type_names[static_cast<std::size_t>(t)]),
          std::vector<double>(parts.size()),
          {}};
      double all = 0;
      auto const numbers = compared_patterns(t);
      for (cell const& c : r.cells) {
        if (c.partition != n || c.how != m || c.type != t) continue;
        auto const at = std::find(numbers.begin(), numbers.end(), c.number);
        row.parts[static_cast<std::size_t>(at - numbers.begin())] += c.seconds;
        row.parts.back() = c.open_seconds + std::max(0.0, c.close_seconds);
        all += c.seconds;
      }
      if (all <= 0) continue;
      row.note = fmt::format("{:.3g} s", all + row.parts.back());
      rows.push_back(std::move(row));
    }
  return bench::share_chart(fmt::format("share of the time, {}, {}", ranks_text(n), r.label()),
                            parts, rows);
}

std::string over_partitions(std::vector<named> const& runs) {
  std::set<int> sizes;
  std::vector<series> lines;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    series s{runs[k].name, {}, k};
    for (int const n : runs[k].run->partitions()) {
      auto const v = runs[k].run->value(n);
      if (!v) continue;
      s.points.push_back({std::log2(n), *v});
      sizes.insert(n);
    }
    if (!s.points.empty()) lines.push_back(std::move(s));
  }
  if (lines.empty()) return {};
  std::vector<tick> ticks;
  for (int const n : sizes) ticks.push_back({std::log2(n), std::to_string(n)});
  return bench::line_chart("b_eff_io over the partition", "ranks", ticks, {{"MB/s", lines}});
}

}  // namespace

std::vector<picture> pictures(std::vector<run_result> const& runs,
                              std::vector<run_result> const& others) {
  std::vector<picture> all;
  auto const add = [&](std::string name, std::string svg) {
    if (!svg.empty()) all.push_back({std::move(name), std::move(svg)});
  };
  std::vector<named> const both = named_runs(runs, others);
  std::set<int> sizes;
  for (std::size_t k = 0; k < runs.size(); ++k)
    for (int const n : runs[k].partitions()) {
      sizes.insert(n);
      std::string const where = fmt::format("np{}-{}", n, slug(both[k].name));
      for (method const m : methods)
        add(fmt::format("{}-{}", name_of(m), where), over_types(runs[k], n, m));
      add("time-" + where, time_shares(runs[k], n));
    }
  for (int const n : sizes) {
    for (int t = 0; t < types; ++t) add(fmt::format("type{}-np{}", t, n), over_methods(both, n, t));
    add(fmt::format("runs-np{}", n), side_by_side(both, n));
  }
  add("partitions", over_partitions(both));
  return all;
}

}  // namespace beffio
