// What is asked for by ARGOSY_REPORT: what became of a file between open and close, over all ranks,
// with advice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/agree/detail/neighbour.hpp>
#include <argosy/error/source_location.hpp>
#include <argosy/file/detail/call/operation.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/summed_report.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/plan/window.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// The environment of this rank asks for it; the ranks of a file agree when they open it.
bool wants_report();

// The kinds of calls that reports tell apart: place, blocking or in the background, read or write.
enum class call_place : std::uint8_t { local, shared, collective, ordered };
inline constexpr std::size_t call_kinds = 16;
constexpr std::size_t kind_of_call(operation_row const& r) noexcept {
  bool const shared = r.pointer == pointer_kind::shared;
  call_place const place = r.ranks == ranks_of_call::all
                               ? (shared ? call_place::ordered : call_place::collective)
                               : (shared ? call_place::shared : call_place::local);
  bool const background = r.when == moment::background || r.when == moment::split;
  return static_cast<std::size_t>(place) * 4 + (background ? 2u : 0u) +
         (r.kind == access_kind::write ? 1u : 0u);
}
std::string name_of_call_kind(std::size_t kind);

// Who says how many aggregators there are, and windows of which length: hints, a policy that the
// call was given, or one of the program's own, which no hint changes.
enum class chosen_by : std::uint8_t { hints, call, program };

// Who moves the windows of a call that all ranks carry out together.
struct exchanged_by {
  std::int64_t aggregators = 0;   // 0: each rank by itself
  std::int64_t window_bytes = 0;  // 0: they were not those of two_phase
  std::int64_t span = 0;          // from the first to the last byte that ranks asked for
  chosen_by by = chosen_by::hints;
};

// A line of the program. Empty if it is not known.
struct program_line {
  short_text<88> file;
  std::int64_t line = 0;
  void set(source_location const& where);
  std::string words() const;  // " at solver.cpp:12", or nothing
};

// The time that ranks waited at the start of collective calls, and who waited least: the others
// wait for that one.
struct waits_to_begin {
  spread ns;
  std::int32_t least_rank = 0;
  constexpr void combine(waits_to_begin const& other) {
    if (other.ns.least < ns.least || (other.ns.least == ns.least && other.least_rank < least_rank))
      least_rank = other.least_rank;
    ns.combine(other.ns);
  }
};

// Of all calls, on one rank, and reduced over all.
struct usage_numbers {
  struct row {
    spread calls;
    std::int64_t bytes = 0, file_calls = 0, failed = 0;
    std::int64_t largest = -1;  // bytes of the largest of them, the first on the lowest rank
    std::int32_t rank = 0;
    program_line at = {};
    void combine(row const& other);
  };
  std::array<row, call_kinds> rows = {};
  report_spreads totals = {};
  spread const& of(std::int64_t report::* which) const {
    std::size_t i = 0;
    while (report_numbers[i].value != which) ++i;
    return totals[i];
  }
  spread exchange = {};    // the rest of the times
  spread background = {};  // of the time in all calls, that of those in the background
  // Of blocking calls that succeeded: what the program waited for.
  waits_to_begin begin = {};
  spread waited = {}, paced = {};   // for windows of others; in all of these calls
  std::int64_t paced_together = 0;  // of them, on the rank that made most, those of all ranks
  std::int64_t least_aggregators = std::numeric_limits<std::int64_t>::max(), most_aggregators = 0;
  std::int64_t views = 0;  // set by a rank
  struct {
    std::int64_t bytes = -1;
    std::int32_t rank = 0;
    exchanged_by together;
    short_text<24> call;
    short_text<40> policy;
    short_text<256> reason;
    program_line at;
  } largest = {};

  void combine(usage_numbers const& other);
};
static_assert(reducible<usage_numbers>);

// Any thread.
class usage {
 public:
  usage(std::string path, int rank);
  ~usage();  // says so if nothing was told
  usage(usage const&) = delete;
  usage& operator=(usage const&) = delete;

  // `begin_ns`: that it waited for all ranks to come.
  void add(operation call, report const& done, bool failed, std::int64_t begin_ns = 0,
           exchanged_by const& together = {}, source_location const& where = {});
  void add_waited(std::int64_t ns);  // for calls in the background
  void add_view();
  usage_numbers numbers() const;
  void told() { told_ = true; }

 private:
  mutable std::mutex mutex_;
  std::string path_;
  int rank_;
  bool told_ = false;
  std::array<std::int64_t, call_kinds> calls_ = {}, bytes_ = {}, file_calls_ = {}, failed_ = {};
  std::array<std::int64_t, call_kinds> largest_of_kind_ = {};  // -1: there was none
  std::array<source_location, call_kinds> largest_at_ = {};
  report total_;
  std::int64_t background_ns_ = 0;
  std::int64_t begin_ns_ = 0, waited_ns_ = 0, paced_ns_ = 0, paced_together_ = 0;
  std::int64_t least_aggregators_ = std::numeric_limits<std::int64_t>::max(), most_aggregators_ = 0;
  exchanged_by largest_together_;
  std::int64_t views_ = 0, largest_bytes_ = -1;
  operation largest_call_ = {};
  std::string largest_policy_, largest_reason_;
  source_location largest_where_;
};

// What rank 0 knows when the file is closed.
struct usage_report {
  std::string path = {};
  int ranks = 1;
  std::int64_t processors = 1;    // of them, at most one for each rank
  std::int64_t open_ns = 0;       // from open to close
  std::string close_failed = {};  // the message; empty if it did not
  file_hints hints = {};
  std::string other_hints = {};  // lines: what other ranks were given, and rank 0 was not
  usage_numbers numbers = {};
  spread copy_ns = {};  // that a plain copy of each rank's bytes takes; no ranks: not measured
  bool crowded() const { return processors < ranks; }
};
std::string to_string(usage_report const& r);
// One line each.
std::vector<std::string> advice_of(usage_report const& r);

// The time in which this rank copies as many bytes in memory: the best of some copies; -1 if it
// could not.
std::int64_t plain_copy_ns(std::int64_t bytes);

// To standard error, or to the end of the file that ARGOSY_REPORT names.
void publish(std::string const& text);

}  // namespace argosy::detail
