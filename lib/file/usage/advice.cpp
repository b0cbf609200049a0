// Implements file/detail/state/usage.hpp: the text of the report, and its advice.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
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
// Returns a rounded size for people: "12 MB", "3.4 kB".
std::string size_of(double bytes) {
  static constexpr std::array<char const*, 5> units{"bytes", "kB", "MB", "GB", "TB"};
  std::size_t i = 0;
  for (; bytes >= 9999.5 && i + 1 < units.size(); ++i) bytes /= 1000;
  return with_digits(bytes, i == 0 || bytes >= 100 ? 0 : 1) + " " + units[i];
}
std::string percent(double part, double whole) {
  return with_digits(whole > 0 ? 100 * part / whole : 0, 0) + " %";
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

rank_statistics const& total(usage_report const& r, std::int64_t report::* which) {
  return r.numbers.of(which);
}

// Returns the sum of calls and bytes of a place, blocking and nonblocking, with the largest of
// them.
usage_numbers::row row_of(usage_report const& r, call_place place, access_kind kind) {
  std::size_t const k = static_cast<std::size_t>(place) * 4 + (kind == access_kind::write ? 1 : 0);
  usage_numbers::row sum = r.numbers.rows[k];
  usage_numbers::row const& later = r.numbers.rows[k + 2];
  sum.calls.sum += later.calls.sum;
  sum.bytes += later.bytes;
  if (later.largest > sum.largest) sum.at = later.at;
  return sum;
}

void advise_on_calls(usage_report const& r, std::vector<std::string>& all) {
  for (access_kind const kind : {access_kind::read, access_kind::write}) {
    bool const reads = kind == access_kind::read;
    usage_numbers::row const local = row_of(r, call_place::local, kind),
                             together = row_of(r, call_place::collective, kind);
    auto const each = [](usage_numbers::row const& row) {
      return static_cast<double>(row.bytes) /
             static_cast<double>(std::max<std::int64_t>(1, row.calls.sum));
    };
    auto const largest = [](usage_numbers::row const& row) {
      std::string const at = row.at.words();
      return at.empty() ? at : " (the largest" + at + ")";
    };
    bool const many = local.calls.sum >= 64 * r.ranks;
    if (many && each(local) < 64 << 10) {
      std::string text = counted(local.calls.sum, reads ? "local read" : "local write") + " of " +
                         size_of(each(local)) + " on average" + largest(local) + ": ";
      text += r.ranks > 1
                  ? std::string("collective calls (") + (reads ? "read_at_all" : "write_at_all") +
                        ") let few ranks access long stretches for all"
                  : "fewer and larger ones take less time";
      if (r.numbers.views == 0)
        text += "; a view makes one call of many (set_view was never called)";
      all.push_back(std::move(text));
    }
    if (together.calls.sum >= 64 * r.ranks && each(together) < 4096)
      all.push_back(
          counted(together.calls.sum / r.ranks, reads ? "collective read" : "collective write") +
          " of " + size_of(each(together)) + " per rank on average" + largest(together) +
          ": ranks agree twice in each, so fewer and larger ones take less time");
  }
}

std::int64_t failures(usage_report const& r) {
  std::int64_t failed = 0;
  for (usage_numbers::row const& row : r.numbers.rows) failed += row.failed;
  return failed;
}

// Shorter runs are dominated by the first calls, which set up the group of ranks and get memory.
constexpr double least_time_ns = 1e7;

void advise_on_locks(usage_report const& r, std::vector<std::string>& all) {
  double const time = total(r, &report::time_ns).mean(), locks = total(r, &report::lock_ns).mean();
  if (time >= least_time_ns && locks > 0.2 * time)
    all.push_back(percent(locks, time) +
                  " of the time went into locks: mode::unique_open does without, where nobody else "
                  "writes; collective "
                  "calls by two_phase need few");
}

// Advises on uneven ranks. If ranks outnumber processors, one rank comes later because another one
// runs. So a wait of a few time slices has no meaning.
void advise_on_balance(usage_report const& r, std::vector<std::string>& all) {
  waits_to_begin const& b = r.numbers.begin;
  double const time = r.numbers.paced.mean(), calls = static_cast<double>(r.numbers.paced_together);
  if (r.ranks < 2 || calls == 0 || time < least_time_ns) return;
  double const others = static_cast<double>(b.ns.sum - b.ns.least) / (r.ranks - 1),
               more = others - static_cast<double>(b.ns.least), slices = 1e7 * r.ranks;
  char const* const background = ", or begin calls in the background (iwrite_all)";
  if (more > 0.3 * time && more > 5e6 &&
      (!r.crowded() || more * static_cast<double>(r.processors) > slices * calls))
    all.push_back("rank " + std::to_string(b.least_rank) +
                  " comes last: before collective calls began the others waited " +
                  duration(static_cast<std::int64_t>(others)) + " on average, and it " +
                  duration(b.ns.least) + ": look at what it does before them" + background);
  else if (!r.crowded() && b.ns.mean() > 0.3 * time && b.ns.mean() > 1e5 * calls)
    all.push_back(percent(b.ns.mean(), time) +
                  " of the time ranks waited for others before collective calls began, and not "
                  "always for the same "
                  "rank: balance what they do before them" +
                  background);
}

// Returns where to set the number of aggregators or the length of windows: by `member` of the
// policy, or by hints.
std::string said_by(chosen_by who, char const* member, char const* overriding, char const* hints) {
  if (who == chosen_by::hints) return std::string("(") + hints + ")";
  if (who == chosen_by::program)
    return "(the calls were given a policy of the program, which says it)";
  return std::string("(") + member + " of the policy that the calls were given, or " + overriding +
         " in ARGOSY_HINTS_OVERRIDE)";
}

void advise_on_background(usage_report const& r, std::vector<std::string>& all) {
  double const time = r.numbers.background.mean(), waited = total(r, &report::waited_ns).mean();
  if (r.crowded() || r.numbers.background.ranks == 0 || time < least_time_ns ||
      waited <= 0.5 * time)
    return;
  all.push_back("for " + percent(std::min(waited, time), time) +
                " of the time of calls in the background the program waited for them: begin them "
                "earlier, or do more "
                "between begin and wait");
}

void advise_on_windows(usage_report const& r, std::vector<std::string>& all) {
  double const time = r.numbers.paced.mean(), waiting = r.numbers.waited.mean();
  if (time < least_time_ns || waiting <= 0.5 * time) return;
  std::int64_t const by = r.numbers.most_aggregators,
                     possible = std::min<std::int64_t>(r.ranks, r.processors);
  std::string const part = percent(waiting, time) + " of the time was spent waiting ";
  exchanged_by const& largest = r.numbers.largest.together;
  if (by == 0 && r.numbers.paced_together == 0) {
    all.push_back(
        part +
        "for agents, which carry out what is shipped: IBM_largeblock_io = true ships nothing");
  } else if (by == 0) {
    if (!r.crowded())
      all.push_back(part +
                    "for other ranks to be done, each by itself: some have more to do, or the file "
                    "is slower for them");
  } else if (by < possible && largest.window_bytes > 0 &&
             largest.span <= by * largest.window_bytes) {
    std::string const at = r.numbers.largest.at.words();
    all.push_back(part + "for the windows of " + counted(by, "aggregator") +
                  (at.empty() ? "" : " (the largest call" + at + ")") + ": windows of " +
                  size_of(static_cast<double>(largest.window_bytes)) +
                  " leave nothing for more, so smaller ones " +
                  said_by(largest.by, "window_bytes", "argosy_window_size",
                          "argosy_window_size, cb_buffer_size"));
  } else if (by < possible) {
    all.push_back(part + "for the windows of " + counted(by, "aggregator") + ": more of them " +
                  said_by(largest.by, "aggregators", "cb_nodes", "cb_nodes, cb_config_list") +
                  ", or a look at the file system");
  } else if (!r.crowded()) {
    all.push_back(part + "for windows of other ranks, though " + std::to_string(by) + " of " +
                  counted(r.ranks, "rank") + " move them: a look at the file system");
  }
}

void advise_on_bytes(usage_report const& r, std::vector<std::string>& all) {
  std::int64_t const bytes = total(r, &report::bytes).sum,
                     holes = total(r, &report::merged_bytes).sum,
                     fallbacks = total(r, &report::fallbacks).sum;
  if (holes > bytes)
    all.push_back(
        size_of(static_cast<double>(holes)) + " of holes were read for " +
        size_of(static_cast<double>(bytes)) +
        " of data: collective calls fill holes of one rank with data of others; romio_ds_read and "
        "romio_ds_write = disable read none");
  if (fallbacks > 0)
    all.push_back(counted(fallbacks, "window") +
                  " could not be merged, for want of locks or of the right to read, or as another "
                  "open of the file may "
                  "write or another program has locked it, and went by pieces");
  rank_statistics const& each = total(r, &report::bytes);
  double const others =
      static_cast<double>(each.sum - each.most) / static_cast<double>(std::max(1, r.ranks - 1));
  if (r.ranks > 1 && each.most > 1 << 20 && static_cast<double>(each.most) > 4 * others)
    all.push_back("one rank moved " + size_of(static_cast<double>(each.most)) + ", the others " +
                  size_of(others) +
                  " on average: collective calls share the work, if all ranks bring their part");
  if (std::int64_t const failed = failures(r); failed > 0)
    all.push_back(counted(failed, "call") + " failed, counted on each rank");
}

void advise_on_hints(usage_report const& r, std::vector<std::string>& all) {
  for (hint_state const& s : r.hints.all())
    if (s.status != hint_status::accepted && s.status != hint_status::defaulted)
      all.push_back("hint " + s.name + " is " + std::string(name_of(s.status)) + ": " + s.why);
}

}  // namespace

std::vector<std::string> advice_of(usage_report const& r) {
  std::vector<std::string> all;
  advise_on_calls(r, all);
  advise_on_locks(r, all);
  advise_on_balance(r, all);
  advise_on_background(r, all);
  advise_on_windows(r, all);
  advise_on_bytes(r, all);
  advise_on_hints(r, all);
  return all;
}

namespace {

// Returns "1 aggregator", "1 to 4 aggregators".
std::string aggregators(usage_numbers const& n) {
  if (n.most_aggregators == 0) return "agents";
  return (n.least_aggregators < n.most_aggregators ? std::to_string(n.least_aggregators) + " to "
                                                   : std::string()) +
         counted(n.most_aggregators, "aggregator");
}

}  // namespace

std::string to_string(usage_report const& r) {
  std::string text = "argosy report of '" + r.path + "': " + counted(r.ranks, "rank") +
                     ", open for " + duration(r.open_ns) + "\n";
  if (!r.close_failed.empty()) text += "  close failed: " + r.close_failed + "\n";

  text += "hints\n";
  std::string const hints = to_string(r.hints, detail::hints_shown::given_alone);
  if (hints.empty()) text += "  none was given\n";
  for (std::string const& lines : {hints, r.other_hints})
    for (std::size_t at = 0, end; at < lines.size(); at = end + 1) {
      end = std::min(lines.find('\n', at), lines.size());
      text += "  " + lines.substr(at, end - at) + "\n";
    }

  text += left("calls", 36) + "per rank: least   mean   most           bytes    file calls\n";
  bool any = false;
  for (std::size_t k = 0; k < call_kinds; ++k) {
    usage_numbers::row const& row = r.numbers.rows[k];
    if (row.calls.sum == 0) continue;
    any = true;
    text += "  " + left(name_of_call_kind(k), 42) + three_counts(row.calls, 7) +
            right(plain(row.bytes), 16) + right(plain(row.file_calls), 14) +
            (row.failed > 0 ? "  " + counted(row.failed, "failure") : "") + "\n";
  }
  if (!any) return text + "  no data was read or written\n";
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

  auto const sum = [&](std::int64_t report::* which) { return total(r, which).sum; };
  text += "file\n  " + counted(sum(&report::read_calls), "read") + " of " +
          counted(sum(&report::bytes_read), "byte") + ", " +
          counted(sum(&report::write_calls), "write") + " of " +
          counted(sum(&report::bytes_written), "byte") + ", " +
          counted(sum(&report::locks), "lock") + "; " +
          counted(sum(&report::merged_bytes), "byte") + " of holes read\n";
  if (sum(&report::rounds) > 0)
    text += "  " + counted(total(r, &report::rounds).most, "round") + " of exchange, by " +
            aggregators(r.numbers) + ", " + counted(sum(&report::messages), "message") + " of " +
            counted(sum(&report::message_bytes), "byte") + " between nodes\n";

  text += left("times per rank", 24) + right("least", 12) + right("mean", 12) + right("most", 12) +
          "\n";
  auto const time = [&](char const* name, std::int64_t report::* which) {
    text += "  " + left(name, 22) + three(total(r, which), 12, duration) + "\n";
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
  text += "  " + left("exchange, the rest", 22) + three(r.numbers.exchange, 12, duration) + "\n";
  rank_statistics const& slowest = total(r, &report::time_ns);
  if (slowest.most > 0)
    text +=
        "  " +
        with_digits(
            static_cast<double>(sum(&report::bytes)) * 1e3 / static_cast<double>(slowest.most), 1) +
        " MB/s: the bytes of all ranks by the time of the slowest\n";
  if (r.copy_ns.ranks > 0)
    text += "  a plain copy of each rank's bytes in memory takes about " +
            duration(r.copy_ns.most) +
            " (a copy of 4 MiB, made by all ranks at once when the file was closed)\n";
  if (r.crowded())
    text += "  " + counted(r.ranks, "rank") + " on " + counted(r.processors, "processor") +
            ": ranks wait for a processor, so times tell little, and no plain copy was timed\n";

  text += "advice\n";
  std::vector<std::string> const advice = advice_of(r);
  for (std::string const& a : advice) text += "  - " + a + "\n";
  if (advice.empty()) text += "  none\n";
  return text;
}

}  // namespace detail
}  // namespace argosy
