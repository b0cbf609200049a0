// SPDX-License-Identifier: BSD-3-Clause
#include "print.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "compare.hpp"

namespace beffio {
namespace {

std::string number_text(std::optional<double> v) {
  if (!v) return "-";
  return *v >= 1e5  ? fmt::format("{:.0f}", *v)
         : *v >= 10 ? fmt::format("{:.2f}", *v)
                    : fmt::format("{:.3f}", *v);
}

// Returns a table with a line for each chunk and method, and a last line for the type.
std::string table(int ranks, std::array<std::int64_t, 7> const& chunks, std::string const& unit,
                  std::function<std::optional<double>(method, int type, int number)> const& at,
                  std::function<std::optional<double>(method, int type)> const& total) {
  std::string text =
      fmt::format("\nranks  pos      chunk  access  {:>10} {:>10} {:>10} {:>10} {:>10}\n", "type=0",
                  "type=1", "type=2", "type=3", "type=4");
  text += fmt::format("            [bytes] {:>8} {:>10} {:>10} {:>10} {:>10} {:>10}\n", unit,
                      type_names[0], type_names[1], type_names[2], type_names[3], type_names[4]);
  for (method const m : methods) {
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      text +=
          fmt::format("{:>5} {:>4} {:>10}  {:<7}", ranks, chunk_places[k], chunks[k], name_of(m));
      for (int t = 0; t < types; ++t)
        text += fmt::format(" {:>10}", number_text(at(m, t, compared_patterns(t)[k])));
      text += '\n';
    }
    text += fmt::format("{:>5}      {:>10}  {:<7}", ranks, "total", name_of(m));
    for (int t = 0; t < types; ++t) text += fmt::format(" {:>10}", number_text(total(m, t)));
    text += "\n\n";
  }
  return text;
}

std::string averages(run_result const& r, int n) {
  std::string text;
  for (method const m : methods) {
    if (r.rules == release::r2 && m == method::rewrite) continue;
    char const* const how = r.rules == release::r1 || m == method::read
                                ? "type 0 counts twice"
                                : "five types, and the rewrite of type 0";
    text += fmt::format("weighted average of {:<8} {:>10} MB/s on {} ({})\n", name_of(m),
                        number_text(r.method_value(n, m)), ranks_text(n), how);
  }
  for (method const m : methods)
    if (std::int64_t const moved = r.bytes(n, m); moved > 0) {
      double const memory = static_cast<double>(r.memory_mib * mib) * n;
      text += fmt::format("moved by {:<8} {:>21} = {:.1f} % of the memory of {}\n", name_of(m),
                          bytes_text(static_cast<double>(moved)),
                          100 * static_cast<double>(moved) / memory, ranks_text(n));
    }
  text += fmt::format("b_eff_io on {} = {} MB/s\n", ranks_text(n), number_text(r.value(n)));
  return text;
}

std::string hints_of(run_result const& r) {
  // Each set of hints once, with the first place that has it.
  std::map<std::string, std::string> seen;
  std::vector<std::string> order;
  for (cell const& c : r.cells)
    if (!c.hints.empty() &&
        seen.emplace(
                c.hints,
                fmt::format("{}, {}, {}, chunks of {}", ranks_text(c.partition), name_of(c.how),
                            type_names[static_cast<std::size_t>(c.type)], chunk_text(c.what.chunk)))
            .second)
      order.push_back(c.hints);
  if (order.empty()) return "hints: none were given\n";
  std::string text = "hints in force, and where first:\n";
  for (std::string const& h : order) text += fmt::format("  {}  ({})\n", h, seen.at(h));
  return text;
}

}  // namespace

std::string chunk_text(std::int64_t bytes) {
  std::int64_t const odd = bytes % kib;
  std::int64_t const even = bytes - odd;
  if (odd != 0 && odd != 8) return fmt::format("{}", bytes);
  std::string const unit =
      even % mib == 0 ? fmt::format("{} MiB", even / mib) : fmt::format("{} KiB", even / kib);
  return even == 0 ? fmt::format("{}", bytes) : odd == 0 ? unit : unit + " + 8";
}

std::string duration_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.3g} s", seconds);
  auto const minutes = static_cast<std::int64_t>(seconds / 60 + 0.5);
  return minutes < 100 ? fmt::format("{} min", minutes)
                       : fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string bytes_text(double bytes) {
  return bytes >= 1e9 ? fmt::format("{:.3f} GB", bytes / 1e9)
                      : fmt::format("{:.3f} MB", bytes / 1e6);
}

std::string report_text(run_result const& r, std::int64_t cache) {
  std::string text = fmt::format(
      "\nb_eff_io, release {} of its rules, files of {}{}\n"
      "machine: {}\ndate: {}\n"
      "{} with {} MiB each, scheduled time {}{}, longest chunk {}{}{}\n"
      "rates in MB/s = 10^6 bytes per second; chunks in bytes\n",
      r.rules == release::r1 ? "1.x" : "2.0", r.implementation,
      r.hint_set.empty() ? "" : ", hints " + r.hint_set, r.machine, r.date, ranks_text(r.ranks),
      r.memory_mib, duration_text(r.seconds), r.rules == release::r1 ? " for each partition" : "",
      chunk_text(r.longest()), r.rules == release::r2 && r.all_rewrites ? ", all rewrites" : "",
      r.unique ? ", opened unique" : "");
  for (int const n : r.partitions()) {
    text += table(
        n, compared_chunks(r.longest()), "[MB/s]",
        [&](method m, int t, int number) -> std::optional<double> {
          cell const* const c = r.find(n, m, t, number);
          if (c == nullptr || c->calls == 0) return {};
          return c->rate();
        },
        [&](method m, int t) { return r.type_value(n, m, t); });
    text += averages(r, n);
  }
  text += fmt::format("\nb_eff_io = {} MB/s, the largest of {} partition{}, on {} with {}\n",
                      number_text(r.system_value()), r.partitions().size(),
                      r.partitions().size() == 1 ? "" : "s", r.machine, r.label());
  if (auto const n = r.saturated_at(); n && r.partitions().size() > 1)
    text += fmt::format("nine tenths of it are reached on {}\n", ranks_text(*n));
  text += is_valid(r) ? "VALID for comparison with other systems\n"
                      : "NOT VALID for comparison with other systems:\n";
  for (verdict const& v : validity(r))
    text += fmt::format("  {:<6} {}\n", v.holds ? "ok" : "NOT SO", v.rule);
  if (std::string const warning = cache_warning(r, cache); !warning.empty())
    text += "cache: " + warning + "\n";
  return text + hints_of(r);
}

std::string comparison_text(run_result const& one, run_result const& other,
                            std::string const& names) {
  std::vector<comparison> const all = compared(one, other);
  std::string text = fmt::format("\n{}: how many times as fast\n", names);
  for (int const n : one.partitions()) {
    if (std::none_of(all.begin(), all.end(),
                     [&](comparison const& c) { return c.one->partition == n; }))
      continue;
    text += table(
        n, compared_chunks(one.longest()), "[times]",
        [&](method m, int t, int number) -> std::optional<double> {
          for (comparison const& c : all)
            if (c.one->partition == n && c.one->how == m && c.one->type == t &&
                c.one->number == number)
              return c.ratio();
          return {};
        },
        [&](method m, int t) -> std::optional<double> {
          auto const a = one.type_value(n, m, t), b = other.type_value(n, m, t);
          if (!a || !b || *b <= 0) return {};
          return *a / *b;
        });
  }
  text += fmt::format("geometric means of {} cells: all {}", all.size(),
                      number_text(geometric_mean(all)));
  for (method const m : methods)
    text += fmt::format(", {} {}", name_of(m), number_text(geometric_mean(all, m)));
  text += "\n                 by type:";
  for (int t = 0; t < types; ++t)
    text += fmt::format(" {} {}", type_names[static_cast<std::size_t>(t)],
                        number_text(geometric_mean(all, {}, t)));
  if (auto const a = one.system_value(), b = other.system_value(); a && b && *b > 0)
    text += fmt::format("\nb_eff_io: {} / {} = {}", number_text(a), number_text(b),
                        number_text(*a / *b));
  return text + "\n";
}

}  // namespace beffio
