// SPDX-License-Identifier: BSD-3-Clause
#include "result.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace beffio {

std::string ranks_text(int n) { return fmt::format("{} rank{}", n, n == 1 ? "" : "s"); }

int always(int type) { return type == scatter ? 9 : 8; }

std::vector<int> run_result::partitions() const {
  std::vector<int> all;
  for (cell const& c : cells)
    if (std::find(all.begin(), all.end(), c.partition) == all.end()) all.push_back(c.partition);
  return all;
}

cell const* run_result::find(int partition, method m, int type, int number) const {
  auto const at = std::find_if(cells.begin(), cells.end(), [&](cell const& c) {
    return c.partition == partition && c.how == m && c.type == type && c.number == number;
  });
  return at == cells.end() ? nullptr : &*at;
}

std::optional<double> run_result::type_value(int partition, method m, int type) const {
  std::int64_t moved = 0;
  double time = 0;
  int patterns = 0;
  bool closed = false;
  for (cell const& c : cells) {
    if (c.partition != partition || c.how != m || c.type != type) continue;
    if (patterns++ == 0) time += c.open_seconds + c.close_seconds;
    closed = c.close_seconds >= 0;
    moved += c.bytes;
    time += c.seconds;
  }
  if (patterns < always(type) || !closed || time <= 0) return {};
  return static_cast<double>(moved) / time / 1e6;
}

by_type run_result::type_values(int partition, method m) const {
  by_type values;
  for (int t = 0; t < types; ++t) values[static_cast<std::size_t>(t)] = type_value(partition, m, t);
  return values;
}

std::optional<double> run_result::method_value(int partition, method m) const {
  return average(rules, m, type_values(partition, m),
                 type_value(partition, method::rewrite, scatter));
}

std::optional<double> run_result::value(int partition) const {
  return partition_value(rules, method_value(partition, method::write),
                         method_value(partition, method::rewrite),
                         method_value(partition, method::read));
}

std::optional<double> run_result::system_value() const {
  std::optional<double> most;
  for (int const n : partitions()) {
    std::optional<double> const v = value(n);
    if (!v) return {};
    most = std::max(most.value_or(*v), *v);
  }
  return most;
}

std::optional<int> run_result::saturated_at() const {
  std::optional<double> const most = system_value();
  std::optional<int> fewest;
  if (most)
    for (int const n : partitions())
      if (*value(n) >= 0.9 * *most) fewest = std::min(fewest.value_or(n), n);
  return fewest;
}

std::int64_t run_result::bytes(int partition, method m) const {
  std::int64_t sum = 0;
  for (cell const& c : cells)
    if (c.partition == partition && c.how == m) sum += c.bytes;
  return sum;
}
std::int64_t run_result::errors() const {
  std::int64_t sum = 0;
  for (cell const& c : cells) sum += c.errors;
  return sum;
}
std::int64_t run_result::wrong() const {
  std::int64_t sum = 0;
  for (cell const& c : cells) sum += c.wrong;
  return sum;
}

std::vector<verdict> validity(run_result const& r) {
  double const least = least_seconds(r.rules);
  auto const cut = std::count_if(r.cells.begin(), r.cells.end(),
                                 [](cell const& c) { return c.ended == ending::space; });
  std::vector<verdict> all{
      {r.seconds >= least,
       fmt::format("scheduled time {:g} s, must be {:g} s at least", r.seconds, least)},
      {r.shared_pointer, "type 1 uses shared pointers"},
      {r.errors() == 0 && r.wrong() == 0,
       fmt::format("calls that failed: {}, marks that were wrong: {}; both must be 0", r.errors(),
                   r.wrong())},
      {r.system_value().has_value(), "all patterns were run"},
      {cut == 0, fmt::format("patterns that ended for want of space: {}, must be 0", cut)},
      {!r.unique, "files are not opened unique"}};
  return all;
}

bool is_valid(run_result const& r) {
  auto const all = validity(r);
  return std::all_of(all.begin(), all.end(), [](verdict const& v) { return v.holds; });
}

std::string cache_warning(run_result const& r, std::int64_t cache) {
  std::optional<std::int64_t> least;
  std::string where;
  for (int const n : r.partitions())
    for (method const m : {method::write, method::read}) {
      std::int64_t const moved = r.bytes(n, m);
      if (least && moved >= *least) continue;
      least = moved;
      where = fmt::format("{} on {}", name_of(m), ranks_text(n));
    }
  if (!least ||
      static_cast<double>(*least) > static_cast<double>(times_cache) * static_cast<double>(cache))
    return {};
  return fmt::format(
      "{:.4g} GB were moved by {}, which is not more than {} times the caches ({:.4g} GB): values "
      "show the caches, too",
      static_cast<double>(*least) / 1e9, where, times_cache, static_cast<double>(cache) / 1e9);
}

}  // namespace beffio
