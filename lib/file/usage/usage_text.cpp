// Implements file/detail/state/usage.hpp: the text of the report of a file, and the table of a
// report that is summed over the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/file/detail/state/usage.hpp>
#include <argosy/layout/detail/counted.hpp>
#include <argosy/plan/detail/report_words.hpp>

namespace argosy {
namespace {

using detail::counted;
using detail::duration;
using detail::with_digits;

std::string right(std::string const& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}
std::string left(std::string const& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}
std::string plain(std::int64_t n) { return std::to_string(n); }
// Returns "least  mean  most". The mean of times is a time, rounded.
std::string three(extend::rank_statistics const& s, std::size_t width,
                  std::string (&text)(std::int64_t)) {
  auto const mean = static_cast<std::int64_t>(s.mean() + 0.5);
  return right(text(s.least), width) + right(text(mean), width) + right(text(s.most), width);
}
// Returns the same for counts, whose mean is not rounded to an integer.
std::string three_counts(extend::rank_statistics const& s, std::size_t width) {
  bool const whole = s.ranks == 0 || s.sum % s.ranks == 0;
  return right(plain(s.least), width) + right(with_digits(s.mean(), whole ? 0 : 1), width) +
         right(plain(s.most), width);
}
}  // namespace

std::string to_table(summed_report const& s) {
  std::string text = "  " + detail::padded("policy") + s.policy +
                     (s.one_policy ? "" : ", on rank 0; others differ") + "\n  " +
                     detail::padded("reason") + s.reason + "\n  " + detail::padded("") +
                     right("least", 14) + right("mean", 14) + right("most", 14) + right("sum", 16) +
                     "\n";
  bool const timed = s.of(&report::time_ns).most > 0;
  for (std::size_t i = 0; i < s.numbers.size(); ++i) {
    std::string_view const name = detail::report_numbers[i].name;
    bool const time = detail::report_numbers[i].is_time;
    if (time && !timed) continue;
    extend::rank_statistics const& n = s.numbers[i];
    if (detail::report_numbers[i].value == &report::waited_ns && n.most <= 0)
      continue;  // no nonblocking calls
    // All ranks have the same rounds, so their sum over ranks has no meaning.
    bool const shared = detail::report_numbers[i].value == &report::rounds;
    text += "  " + detail::padded(name) + (time ? three(n, 14, plain) : three_counts(n, 14)) +
            right(shared ? "" : plain(n.sum), 16) + "\n";
  }
  if (timed)
    text += "  " + detail::padded("exchange_ns") + three(s.exchange, 14, plain) +
            right(plain(s.exchange.sum), 16) + "  the rest of the time\n";
  if (timed)
    text += "  " + detail::padded("rate") + with_digits(s.mb_per_s(), 1) +
            " MB/s: the bytes of all ranks by the time of the slowest\n";
  return text;
}

namespace detail {
namespace {

// Returns "1 aggregator", "1 to 4 aggregators".
std::string aggregators(usage_numbers const& n) {
  if (n.most_aggregators == 0) return "agents";
  return (n.least_aggregators < n.most_aggregators ? std::to_string(n.least_aggregators) + " to "
                                                   : std::string()) +
         counted(n.most_aggregators, "aggregator");
}

std::string text_of_hints(usage_report const& r) {
  std::string text = "hints\n";
  std::string const hints = to_string(r.hints, detail::hints_shown::given_alone);
  if (hints.empty()) text += "  none was given\n";
  for (std::string const& lines : {hints, r.other_hints})
    for (std::size_t at = 0, end; at < lines.size(); at = end + 1) {
      end = std::min(lines.find('\n', at), lines.size());
      text += "  " + lines.substr(at, end - at) + "\n";
    }
  return text;
}

// Returns one line for each kind of call; empty if there was no call.
std::string text_of_calls(usage_report const& r) {
  std::string text;
  for (std::size_t k = 0; k < call_kinds; ++k) {
    usage_numbers::row const& row = r.numbers.rows[k];
    if (row.calls.sum == 0) continue;
    text += "  " + left(name_of_call_kind(k), 42) + three_counts(row.calls, 7) +
            right(plain(row.bytes), 16) + right(plain(row.file_calls), 14) +
            (row.failed > 0 ? "  " + counted(row.failed, "failure") : "") + "\n";
  }
  return text;
}

std::string text_of_largest(usage_report const& r) {
  std::string text;
  auto const& largest = r.numbers.largest;
  std::string_view const policy = largest.policy.get(), reason = largest.reason.get();
  // Calls that failed before they had a plan are not shown.
  if (largest.bytes > 0 || !policy.empty())
    text += "largest call\n  " + std::string(largest.call.get()) + largest.at.words() +
            " on rank " + std::to_string(largest.rank) + ": " + counted(largest.bytes, "byte") +
            (policy.empty() ? "" : ", by " + std::string(policy)) + "\n";
  if (!reason.empty()) text += "  because: " + std::string(reason) + "\n";
  if (exchanged_by const& t = largest.together; t.aggregators > 0)
    text += "  " +
            (t.window_bytes > 0 ? "windows of " + counted(t.window_bytes, "byte") + ", "
                                : std::string()) +
            "moved by " + std::to_string(t.aggregators) + " of " + counted(r.ranks, "rank") + "\n";
  return text;
}

std::string text_of_file(usage_report const& r) {
  auto const sum = [&](std::int64_t report::* which) { return r.numbers.of(which).sum; };
  std::string text = "file\n  " + counted(sum(&report::read_calls), "read") + " of " +
                     counted(sum(&report::bytes_read), "byte") + ", " +
                     counted(sum(&report::write_calls), "write") + " of " +
                     counted(sum(&report::bytes_written), "byte") + ", " +
                     counted(sum(&report::locks), "lock") + "; " +
                     counted(sum(&report::merged_bytes), "byte") + " of holes read\n";
  if (sum(&report::rounds) > 0)
    text += "  " + counted(r.numbers.of(&report::rounds).most, "round") + " of exchange, by " +
            aggregators(r.numbers) + ", " + counted(sum(&report::messages), "message") + " of " +
            counted(sum(&report::message_bytes), "byte") + " between nodes\n";
  return text;
}

std::string text_of_times(usage_report const& r) {
  std::string text = left("times per rank", 24) + right("least", 12) + right("mean", 12) +
                     right("most", 12) + "\n";
  auto const time = [&](char const* name, std::int64_t report::* which) {
    text += "  " + left(name, 22) + three(r.numbers.of(which), 12, duration) + "\n";
  };
  time("in all calls", &report::time_ns);
  if (r.numbers.background.most > 0) {
    text +=
        "  " + left("  in the background", 22) + three(r.numbers.background, 12, duration) + "\n";
    time("    the program waited", &report::waited_ns);
  }
  time("agreement", &report::agreement_ns);
  if (r.ranks > 1 && r.numbers.begin.ns.most > 0)
    text += "  " + left("  for later ranks", 22) + three(r.numbers.begin.ns, 12, duration) +
            "  least on rank " + std::to_string(r.numbers.begin.least_rank) +
            ", which comes last\n";
  time("waiting for ranks", &report::waiting_ns);
  time("file", &report::file_ns);
  time("locks", &report::lock_ns);
  return text + "  " + left("exchange, the rest", 22) + three(r.numbers.exchange, 12, duration) +
         "\n";
}

// Returns the lines that compare the times with others.
std::string text_of_rates(usage_report const& r) {
  std::string text;
  rank_statistics const& slowest = r.numbers.of(&report::time_ns);
  auto const bytes = static_cast<double>(r.numbers.of(&report::bytes).sum);
  if (slowest.most > 0)
    text += "  " + with_digits(bytes * 1e3 / static_cast<double>(slowest.most), 1) +
            " MB/s: the bytes of all ranks by the time of the slowest\n";
  if (r.copy_ns.ranks > 0)
    text += "  a plain copy of each rank's bytes in memory takes about " +
            duration(r.copy_ns.most) +
            " (a copy of 4 MiB, made by all ranks at once when the file was closed)\n";
  if (r.crowded())
    text += "  " + counted(r.ranks, "rank") + " on " + counted(r.processors, "processor") +
            ": ranks wait for a processor, so times tell little, and no plain copy was timed\n";
  return text;
}

}  // namespace

std::string to_string(usage_report const& r) {
  std::string text = "argosy report of '" + r.path + "': " + counted(r.ranks, "rank") +
                     ", open for " + duration(r.open_ns) + "\n";
  if (!r.close_failed.empty()) text += "  close failed: " + r.close_failed + "\n";
  text += text_of_hints(r);
  text += left("calls", 36) + "per rank: least   mean   most           bytes    file calls\n";
  std::string const calls = text_of_calls(r);
  if (calls.empty()) return text + "  no data was read or written\n";
  text += calls + text_of_largest(r) + text_of_file(r) + text_of_times(r) + text_of_rates(r);
  text += "advice\n";
  std::vector<std::string> const advice = advice_of(r);
  for (std::string const& a : advice) text += "  - " + a + "\n";
  if (advice.empty()) text += "  none\n";
  return text;
}

}  // namespace detail
}  // namespace argosy
