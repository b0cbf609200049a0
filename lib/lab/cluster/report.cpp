// Implements lab/cluster/report.hpp: a run as one line, and its timeline as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace argosy::lab {

std::string to_string(virtual_report const& r) {
  std::string s = fmt::format(
      "{:.9f} s, {} events, {} messages of {} bytes, {} collective calls, {} file calls of {} "
      "bytes in {} runs, trace "
      "{:016x}",
      r.seconds, r.events, r.messages, r.message_bytes, r.collectives, r.file_calls, r.file_bytes,
      r.file_runs, r.trace_hash);
  if (!r.dead.empty()) s += fmt::format("; dead: {}", fmt::join(r.dead, ", "));
  if (std::size_t const n = r.did_not_happen.size(); n > 0)
    s += fmt::format("; {} did not happen: {}", n == 1 ? "1 fault" : fmt::format("{} faults", n),
                     fmt::join(r.did_not_happen, " "));
  for (std::string const& line : detail::lines_of(r.blocked)) s += "\n" + line;
  return s;
}

namespace detail {
namespace {

// Returns ascending ranks as "0-4, 6, 8-15". If there are very many ranges, only the first are
// printed.
std::string text_of(std::vector<int> const& ranks) {
  constexpr int most_parts = 16;
  std::string s;
  int parts = 0;
  for (std::size_t i = 0, j; i < ranks.size(); i = j) {
    if (++parts > most_parts) return s + fmt::format(" and {} more", ranks.size() - i);
    for (j = i + 1; j < ranks.size() && ranks[j] <= ranks[j - 1] + 1;) ++j;
    s += fmt::format("{}{}", s.empty() ? "" : ", ", ranks[i]);
    if (ranks[j - 1] != ranks[i]) s += fmt::format("-{}", ranks[j - 1]);
  }
  return s;
}

}  // namespace

std::vector<std::string> lines_of(std::vector<blocked_rank> const& blocked) {
  struct row {
    blocked_rank const* first;
    std::vector<int> ranks;
    double since, until;
  };
  std::vector<row> rows;  // in the order of their first ranks
  std::map<std::tuple<bool, std::string_view, std::string_view>, std::size_t> known;
  for (blocked_rank const& b : blocked) {
    auto const [found, is_new] =
        known.try_emplace({b.in_background, b.waits_for, b.last_passed}, rows.size());
    if (is_new) rows.push_back({&b, {}, b.since, b.since});
    row& g = rows[found->second];
    if (g.ranks.empty() || g.ranks.back() != b.rank) g.ranks.push_back(b.rank);
    g.since = std::min(g.since, b.since);
    g.until = std::max(g.until, b.since);
  }
  std::vector<std::string> lines;
  for (row const& g : rows) {
    bool const one = g.ranks.size() == 1;
    lines.push_back(
        fmt::format("rank{} {}{} wait{} since {:.9f}{} s: {}; {}", one ? "" : "s", text_of(g.ranks),
                    g.first->in_background ? " in the background" : "", one ? "s" : "", g.since,
                    g.until > g.since ? fmt::format(" to {:.9f}", g.until) : "", g.first->waits_for,
                    g.first->last_passed));
  }
  return lines;
}

}  // namespace detail

std::string timeline_json(virtual_report const& r) {
  fmt::memory_buffer out;
  auto const add = [&]<class... A>(fmt::format_string<A...> format, A&&... a) {
    fmt::format_to(std::back_inserter(out), format, std::forward<A>(a)...);
  };
  // Times in microseconds, exactly.
  auto const time = [&](std::int64_t ps) { add("{}.{:06}", ps / 1'000'000, ps % 1'000'000); };
  add("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  int highest = -1;
  for (virtual_span const& s : r.timeline) highest = s.rank > highest ? s.rank : highest;
  for (int rank = 0; rank <= highest; ++rank) {
    int const node = rank / r.ranks_per_node;
    if (rank % r.ranks_per_node == 0)
      add("{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{0},\"args\":{{\"name\":\"node "
          "{0}\"}}}},\n",
          node);
    add("{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"rank "
        "{}\"}}}},\n",
        node, rank, rank);
  }
  for (virtual_span const& s : r.timeline) {
    add("{{\"ph\":\"X\",\"name\":\"{}\",\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":", s.name,
        s.kind, s.rank / r.ranks_per_node, s.rank);
    time(s.begin_ps);
    add(",\"dur\":");
    time(s.end_ps - s.begin_ps);
    add(",\"args\":{{");
    char const* comma = "";
    auto const argument = [&](char const* name, std::int64_t value) {
      if (value < 0) return;
      add("{}\"{}\":{}", comma, name, value);
      comma = ",";
    };
    argument("offset", s.offset);
    argument("bytes", s.bytes);
    argument("peer", s.peer);
    add("}}}},\n");
  }
  for (std::size_t i = 0; i < r.flows.size(); ++i) {
    virtual_flow const& f = r.flows[i];
    auto const end = [&](char const* phase, int rank, std::int64_t at) {
      add("{{\"ph\":\"{}\",\"id\":{},\"name\":\"message\",\"cat\":\"message\",\"bp\":\"e\",\"pid\":"
          "{},\"tid\":{},"
          "\"ts\":",
          phase, i + 1, rank / r.ranks_per_node, rank);
      time(at);
      add(",\"args\":{{\"bytes\":{}}}}},\n", f.bytes);
    };
    end("s", f.from, f.sent_ps);
    end("f", f.to, f.received_ps);
  }
  add("{{\"ph\":\"M\",\"name\":\"argosy\",\"pid\":0,\"args\":{{}}}}\n]}}\n");
  return fmt::to_string(out);
}

}  // namespace argosy::lab
