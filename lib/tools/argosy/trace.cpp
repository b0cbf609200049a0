// argosy trace: summarises the calls of a run to its files, by call and by rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/layout/detail/counted.hpp>
#include <layout/axis.hpp>
#include <layout/svg.hpp>

#include "../arguments/arguments.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "trace_events.hpp"

namespace argosy::tool {
namespace {

using detail::bytes_text;
using detail::counted;
using detail::seconds_text;

struct sum {
  std::int64_t calls = 0, bytes = 0, runs = 0, ns = 0, errors = 0, slowest_ns = 0;

  void add(trace_event const& e) {
    ++calls;
    // The result of `size` is not a transfer.
    std::int64_t const moved = !e.is_transfer() ? 0 : e.result >= 0 ? e.result : e.bytes;
    bytes += std::clamp<std::int64_t>(moved, 0, std::int64_t{1} << 50);
    runs += e.runs;
    ns += e.took_ns;
    errors += e.error.empty() ? 0 : 1;
    slowest_ns = std::max(slowest_ns, e.took_ns);
  }
  double seconds() const { return static_cast<double>(ns) * 1e-9; }
};

// The times of a phase. `own_ns` leaves out phases and file calls inside of it, so these times can
// be added.
struct phase_sum {
  sum all;
  std::map<int, std::int64_t> own_ns;  // for each rank
  std::int64_t own() const {
    std::int64_t ns = 0;
    for (auto const& [rank, own] : own_ns) ns += own;
    return ns;
  }
  std::pair<int, std::int64_t> slowest() const {
    auto const less = [](auto const& a, auto const& b) { return a.second < b.second; };
    return *std::max_element(own_ns.begin(), own_ns.end(), less);
  }
};

// Small calls of one rank to one file.
struct offender {
  int rank = 0;
  std::string file, call;
  sum of;
};

struct findings {
  std::map<std::string, sum> by_call;
  std::map<int, sum> by_rank;
  std::map<std::string, phase_sum> by_phase;
  std::map<int, std::int64_t> waits_ns;  // time that each rank waits for other ranks
  std::vector<offender> small;           // the worst first
  sum messages;
  sum merged;  // reads of windows that were to be written back with changes
  std::int64_t small_bytes = 0;
  std::int64_t span_ns = 0;
};

bool is_call_of_file(trace_event const& e) {
  return e.category == "file" || e.category == "error" || e.category == "locks";
}

sum merging_of(trace const& t) {
  sum merged;
  for (trace_event const& e : t.events)
    if (is_call_of_file(e) && e.error.empty() && e.name == "read" &&
        e.detail == argosy::detail::to_merge)
      merged.add(e);
  return merged;
}

// Returns for each event its time without that of the events inside of it.
std::vector<std::int64_t> own_times(trace const& t) {
  std::vector<std::int64_t> own;
  own.reserve(t.events.size());
  std::map<std::pair<int, std::int64_t>, std::vector<std::size_t>> open;
  for (std::size_t i = 0; i < t.events.size(); ++i) {
    trace_event const& e = t.events[i];
    own.push_back(e.took_ns);
    std::vector<std::size_t>& around = open[{e.rank, e.thread}];
    while (!around.empty() && t.events[around.back()].end_ns() < e.end_ns()) around.pop_back();
    if (!around.empty())
      own[around.back()] = std::max<std::int64_t>(0, own[around.back()] - e.took_ns);
    around.push_back(i);
  }
  return own;
}

// The rank that the other ranks wait for: it waits least, and the others wait much longer on
// average.
struct laggard {
  int rank = 0;
  std::int64_t waits_ns = 0, others_ns = 0;
};
std::optional<laggard> waited_for(std::map<int, std::int64_t> const& waits, std::int64_t span_ns) {
  if (waits.size() < 2) return std::nullopt;
  auto const least = *std::min_element(
      waits.begin(), waits.end(), [](auto const& a, auto const& b) { return a.second < b.second; });
  double others = 0;
  for (auto const& [rank, ns] : waits)
    if (rank != least.first)
      others += static_cast<double>(ns) / static_cast<double>(waits.size() - 1);
  laggard const found{least.first, least.second, static_cast<std::int64_t>(others)};
  bool const matters = found.others_ns > 2 * found.waits_ns && found.others_ns > span_ns / 20;
  return matters ? std::optional(found) : std::nullopt;
}

findings look_at(trace const& t, std::int64_t small_bytes) {
  findings f;
  f.small_bytes = small_bytes;
  std::map<std::pair<std::pair<int, std::string>, std::string>, sum> small;
  std::int64_t first = INT64_MAX, last = 0;
  std::vector<std::int64_t> const own = own_times(t);
  for (std::size_t i = 0; i < t.events.size(); ++i) {
    trace_event const& e = t.events[i];
    first = std::min(first, e.begin_ns);
    last = std::max(last, e.end_ns());
    if (!is_call_of_file(e)) {
      phase_sum& of = f.by_phase[e.name == "round" ? e.name : e.category];
      of.all.add(e);
      of.own_ns[e.rank] += own[i];
      f.waits_ns[e.rank] += e.category == "agreement" || e.category == "waiting" ? own[i] : 0;
      continue;
    }
    f.by_call[e.name].add(e);
    f.by_rank[e.rank].add(e);
    if (e.is_transfer() && e.bytes >= 0 && e.bytes / e.runs < small_bytes)
      small[{{e.rank, e.file}, e.name}].add(e);
  }
  for (trace_message const& m : t.messages)
    if (m.sent) {
      ++f.messages.calls;
      f.messages.bytes += std::clamp<std::int64_t>(m.bytes, 0, std::int64_t{1} << 40);
    }
  f.span_ns = t.events.empty() ? 0 : last - first;
  for (auto const& [key, of] : small)
    if (of.runs >= 16) f.small.push_back({key.first.first, key.first.second, key.second, of});
  std::ranges::sort(f.small, std::greater(),
                    [](offender const& o) { return std::pair(o.of.ns, -o.rank); });
  f.merged = merging_of(t);
  return f;
}

// Returns the ranks from slow to fast.
std::vector<std::pair<int, sum>> slowest(findings const& f) {
  std::vector<std::pair<int, sum>> all(f.by_rank.begin(), f.by_rank.end());
  std::ranges::sort(all, std::greater(),
                    [](auto const& r) { return std::pair(r.second.ns, -r.first); });
  return all;
}

std::string picture_of(trace const& t) {
  namespace svg = argosy::detail;
  constexpr double left = 80, right = 40, top = 70, wide = 860, lane = 18;
  constexpr int most_ranks = 64;
  constexpr std::size_t most_boxes = 20'000;
  std::map<int, int> row;
  for (trace_event const& e : t.events) row.try_emplace(e.rank, 0);
  int next = 0;
  for (auto& [rank, y] : row) y = next++;
  std::int64_t const zero = t.events.empty() ? 0 : t.events.front().begin_ns;
  std::int64_t last = zero + 1;
  for (trace_event const& e : t.events) last = std::max(last, e.end_ns());
  double const length = static_cast<double>(last - zero);
  std::map<std::string, std::size_t> colours;
  svg::svg_sheet sheet(left + wide + right);
  std::string const title =
      fmt::format("{} of {} in {}", counted(std::ssize(t.events), "call"),
                  counted(std::ssize(row), "rank"), seconds_text(length * 1e-9));
  sheet.text(16, 26, title, 15, "start", svg::ink, "font-weight=\"bold\"");
  int const shown = std::min(next, most_ranks);
  for (auto const& [rank, y] : row) {
    if (y >= shown) continue;
    sheet.text(left - 8, top + lane * y + 12, fmt::format("rank {}", rank), 11, "end");
    sheet.rectangle(left, top + lane * y, wide, lane - 3, svg::pale);
  }
  std::size_t const stride = t.events.size() / most_boxes + 1;
  for (std::size_t i = 0; i < t.events.size(); i += stride) {
    trace_event const& e = t.events[i];
    int const y = row[e.rank];
    if (y >= shown || e.category == "call") continue;
    std::string const kind = is_call_of_file(e) ? e.name : e.category;
    std::size_t const c = colours.try_emplace(kind, colours.size()).first->second;
    sheet.rectangle(left + wide * static_cast<double>(e.begin_ns - zero) / length, top + lane * y,
                    std::max(0.5, wide * static_cast<double>(e.took_ns) / length), lane - 3,
                    svg::colour_of_rank(c));
  }
  double y = top + lane * shown + 8;
  double const step = svg::round_step(length * 1e-9, 6);
  for (int k = 0; k * step <= length * 1e-9 * (1 + 1e-9); ++k) {
    double const x = left + wide * k * step / (length * 1e-9);
    sheet.line(x, y - 4, x, y, svg::ink);
    sheet.text(x, y + 12, seconds_text(k * step), 11, "middle");
  }
  y += 34;
  if (next > shown)
    sheet.text(left, y, "and " + counted(next - shown, "rank") + " more", 11), y += 18;
  double x = left;
  for (auto const& [name, c] : colours) {
    sheet.rectangle(x, y - 10, 12, 12, svg::colour_of_rank(c));
    sheet.text(x + 18, y, name, 11);
    x += 34 + svg::svg_sheet::text_width(name, 11);
  }
  return sheet.finish(y + 16, title);
}

void add_sum(json_writer& j, sum const& s) {
  j.member("calls", s.calls)
      .member("bytes", s.bytes)
      .member("runs", s.runs)
      .member("seconds", s.seconds());
  j.member("slowest_seconds", static_cast<double>(s.slowest_ns) * 1e-9).member("errors", s.errors);
}

void print_json(trace const& t, findings const& f, std::ostream& out) {
  json_writer j(out);
  j.open('{').member("events", t.events.size()).member("ranks", f.by_rank.size());
  j.member("seconds", static_cast<double>(f.span_ns) * 1e-9).key("calls").open('[');
  for (auto const& [name, s] : f.by_call) {
    j.open('{').member("call", name);
    add_sum(j, s);
    j.close('}');
  }
  j.close(']').key("phases").open('[');
  for (auto const& [name, p] : f.by_phase)
    j.open('{')
        .member("phase", name)
        .member("count", p.all.calls)
        .member("seconds", p.all.seconds())
        .member("own_seconds", static_cast<double>(p.own()) * 1e-9)
        .member("slowest_rank", p.slowest().first)
        .close('}');
  j.close(']');
  if (auto const late = waited_for(f.waits_ns, f.span_ns)) j.member("waited_for_rank", late->rank);
  j.key("messages")
      .open('{')
      .member("count", f.messages.calls)
      .member("bytes", f.messages.bytes)
      .close('}');
  j.key("slowest_ranks").open('[');
  for (auto const& [rank, s] : slowest(f)) {
    j.open('{').member("rank", rank);
    add_sum(j, s);
    j.close('}');
  }
  j.close(']').key("small_calls").open('[');
  for (offender const& o : f.small) {
    j.open('{').member("rank", o.rank).member("file", o.file).member("call", o.call);
    add_sum(j, o.of);
    j.close('}');
  }
  // Ranks that several processes have. A rank is numbered in its communicator, so processes of
  // different communicators may have the same rank.
  j.close(']').key("ranks_of_several_processes").open('[');
  for (auto const& [rank, processes] : t.processes) {
    if (processes.size() < 2) continue;
    j.open('{').member("rank", rank).key("processes").open('[');
    for (std::string const& p : processes) j.value(p);
    j.close(']').close('}');
  }
  j.close(']')
      .key("merging")
      .open('{')
      .member("reads", f.merged.calls)
      .member("bytes_read", f.merged.bytes)
      .close('}');
  j.key("unread_lines").open('[');
  for (std::string const& fault : t.faults) j.value(fault);
  j.close(']').close('}');
  out << "\n";
}

// Returns as many as fit in a line.
std::vector<std::string> first_of(std::set<std::string> const& processes) {
  constexpr std::size_t most = 8;
  std::vector<std::string> all;
  for (std::string const& p : processes)
    if (all.size() < most) all.push_back(p);
  if (processes.size() > most) all.emplace_back("...");
  return all;
}

void print_text(trace const& t, findings const& f, std::ostream& out) {
  out << fmt::format("{} of {} in {}\n", counted(std::ssize(t.events), "call"),
                     counted(std::ssize(f.by_rank), "rank"),
                     seconds_text(static_cast<double>(f.span_ns) * 1e-9));
  for (auto const& [rank, processes] : t.processes)
    if (processes.size() > 1)
      out << fmt::format("rank {} stands for {} processes ({}): their calls are summed together\n",
                         rank, processes.size(), fmt::join(first_of(processes), ", "));
  out << "\n";
  out << "call             count        bytes     a call    all time    slowest  errors\n";
  for (auto const& [name, s] : f.by_call)
    out << fmt::format("{:<12} {:>9} {:>12} {:>10} {:>11} {:>10} {:>7}\n", name, s.calls,
                       bytes_text(s.bytes), bytes_text(s.bytes / s.calls),
                       seconds_text(s.seconds()),
                       seconds_text(static_cast<double>(s.slowest_ns) * 1e-9), s.errors);
  if (!f.by_phase.empty()) {
    auto const text = [](std::int64_t ns) { return seconds_text(static_cast<double>(ns) * 1e-9); };
    out << "\nphase            count    all time    own time  most of it on   (own: outside of the "
           "phases and calls in "
           "it)\n";
    for (auto const& [name, p] : f.by_phase)
      out << fmt::format("{:<12} {:>9} {:>11} {:>11}  rank {}: {}\n", name, p.all.calls,
                         text(p.all.ns), text(p.own()), p.slowest().first,
                         text(p.slowest().second));
    if (auto const late = waited_for(f.waits_ns, f.span_ns))
      out << fmt::format("the others wait for rank {}: it waits {}, they {} on average\n",
                         late->rank, text(late->waits_ns), text(late->others_ns));
  }
  if (f.messages.calls > 0)
    out << fmt::format("\n{} of {} between nodes\n", counted(f.messages.calls, "message"),
                       bytes_text(f.messages.bytes));
  auto const ranks = slowest(f);
  constexpr std::size_t most = 8;
  out << "\nslowest ranks    calls        bytes    all time\n";
  for (std::size_t i = 0; i < std::min(most, ranks.size()); ++i)
    out << fmt::format("rank {:<7} {:>9} {:>12} {:>11}\n", ranks[i].first, ranks[i].second.calls,
                       bytes_text(ranks[i].second.bytes), seconds_text(ranks[i].second.seconds()));
  if (ranks.size() > most) out << fmt::format("and {} more\n", ranks.size() - most);
  if (!f.small.empty()) {
    out << fmt::format(
        "\nmany calls of less than {}: a collective call, or a policy that merges, may be faster\n",
        bytes_text(f.small_bytes));
    for (std::size_t i = 0; i < std::min(most, f.small.size()); ++i) {
      offender const& o = f.small[i];
      out << fmt::format("  rank {}: {} runs of {} on average, {}, {} {}\n", o.rank, o.of.runs,
                         bytes_text(o.of.bytes / o.of.runs), seconds_text(o.of.seconds()), o.call,
                         o.file);
    }
    if (f.small.size() > most) out << fmt::format("  and {} more\n", f.small.size() - most);
  }
  if (f.merged.calls > 0)
    out << fmt::format("\nread to be written back with changes: {} in {} reads, {}\n",
                       bytes_text(f.merged.bytes), f.merged.calls,
                       seconds_text(f.merged.seconds()));
  for (std::size_t i = 0; i < std::min(most, t.faults.size()); ++i)
    out << (i == 0 ? "\n" : "") << t.faults[i] << "\n";
  if (t.faults.size() > most)
    out << fmt::format("and {} more lines that could not be read\n", t.faults.size() - most);
}

}  // namespace

int run_trace(arguments const& given, std::ostream& out, std::ostream& err) {
  bool const as_text = given.has("--text");
  if (as_text && given.json()) throw usage_error("give --text or --json, not both");
  trace const t = read_traces(given.operands(), as_text ? &out : nullptr);
  findings const f = look_at(t, given.number("--small", 4096, 1));
  if (given.has("--perfetto")) write_file(given.value("--perfetto"), perfetto_json(t));
  if (given.has("--svg")) write_file(given.value("--svg"), picture_of(t));
  if (as_text)
    for (std::string const& fault : t.faults) err << "argosy: " << fault << "\n";
  else if (given.json())
    print_json(t, f, out);
  else
    print_text(t, f, out);
  return t.faults.empty() ? success : failed;
}

}  // namespace argosy::tool
