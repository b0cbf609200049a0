// Implements file/detail/state/closed_files.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/closed_files.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/plan/detail/report_words.hpp>

namespace argosy::detail {

void closed_files::line::combine(line const& other) {
  for (std::int64_t line::* const n :
       {&line::closed, &line::calls, &line::together, &line::bytes_read, &line::bytes_written,
        &line::file_calls, &line::failed, &line::time_ns, &line::timed_copy_ns, &line::copy_ns,
        &line::advice})
    this->*n += other.*n;
}

closed_files::line closed_files::line_of(usage_report const& r) {
  line l{.closed = 1, .advice = static_cast<std::int64_t>(advice_of(r).size())};
  for (std::size_t k = 0; k < call_kinds; ++k) {
    usage_numbers::row const& row = r.numbers.rows[k];
    bool const reads = k % 2 == 0,
               together = k / 4 >= static_cast<std::size_t>(call_place::collective);
    l.calls += row.calls.sum;
    l.together += together ? row.calls.sum : 0;
    (reads ? l.bytes_read : l.bytes_written) += row.bytes;
    l.file_calls += row.file_calls;
    l.failed += row.failed;
  }
  l.time_ns = std::max<std::int64_t>(0, r.numbers.of(&report::time_ns).most);
  if (r.copy_ns.ranks > 0 && r.copy_ns.most > 0) {
    l.copy_ns = r.copy_ns.most;
    l.timed_copy_ns = l.time_ns;
  }
  return l;
}

void closed_files::add(usage_report const& r) {
  line const l = line_of(r);
  std::lock_guard const guard(mutex_);
  if (auto const found = by_path_.find(r.path); found != by_path_.end())
    found->second.combine(l);
  else if (by_path_.size() < most_lines)
    by_path_.emplace(r.path, l);
  else
    others_.combine(l);
}

namespace {

std::string right(std::string const& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

}  // namespace

std::string closed_files::table() const {
  std::lock_guard const guard(mutex_);
  line all = others_;
  std::vector<std::pair<std::string, line>> lines;
  for (auto const& [path, l] : by_path_) {
    all.combine(l);
    lines.emplace_back("'" + path + "'", l);
  }
  if (all.closed < 2) return {};
  std::ranges::sort(lines, {}, [](auto const& one) {
    return std::pair(-one.second.time_ns, std::string_view(one.first));
  });
  if (others_.closed > 0) lines.emplace_back("others", others_);
  lines.emplace_back("all", all);

  struct column {
    char const* name;
    std::size_t width;
    std::function<std::string(line const&)> text;
  };
  auto const number = [](std::int64_t line::* which) {
    return [which](line const& l) { return std::to_string(l.*which); };
  };
  std::array<column, 10> const columns{{
      {"closed", 8, number(&line::closed)},
      {"time", 13, [](line const& l) { return duration(l.time_ns); }},
      {"beside a copy", 15,
       [](line const& l) {
         return l.copy_ns == 0
                    ? std::string("-")
                    : with_digits(
                          static_cast<double>(l.timed_copy_ns) / static_cast<double>(l.copy_ns), 1);
       }},
      {"calls", 12, number(&line::calls)},
      {"collective", 12, number(&line::together)},
      {"bytes read", 16, number(&line::bytes_read)},
      {"bytes written", 16, number(&line::bytes_written)},
      {"file calls", 12, number(&line::file_calls)},
      {"failed", 8, number(&line::failed)},
      {"advice", 8, number(&line::advice)},
  }};
  std::string text =
      "argosy report of all files whose reports were here: " + counted(all.closed, "report") + "\n";
  for (column const& c : columns) text += right(c.name, c.width);
  text += "  file\n";
  for (auto const& [name, l] : lines) {
    for (column const& c : columns) text += right(c.text(l), c.width);
    text += "  " + name + "\n";
  }
  return text;
}

closed_files& files_closed() {
  // never destroyed: a file may be closed while the process ends
  static auto& all = *new closed_files;
  return all;
}

void tell(usage_report const& r) {
  publish(to_string(r));
  files_closed().add(r);
}

}  // namespace argosy::detail
