// Implements file/detail/state/usage.hpp: the advice of the report of a file.
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

}  // namespace detail
}  // namespace argosy
