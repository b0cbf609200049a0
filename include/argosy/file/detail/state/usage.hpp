// The report of ARGOSY_REPORT: what was done with a file between open and close, over all ranks,
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

// Returns true if the environment of this rank asks for a report. The ranks of a file agree on it
// when they open the file.
bool wants_report();

// The kinds of calls in reports: place, blocking or nonblocking, read or write.
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

// The origin of the number of aggregators and the window size: hints, a policy that the call was
// given, or a policy of the program. No hint changes the last one.
enum class chosen_by : std::uint8_t { hints, call, program };

// The aggregators and windows of a call that all ranks carry out together.
struct exchanged_by {
  std::int64_t aggregators = 0;   // 0: each rank separately
  std::int64_t window_bytes = 0;  // 0: the policy was not two_phase
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

// The time that ranks waited at the start of collective calls, and the rank that waited least. The
// other ranks wait for that one.
struct waits_to_begin {
  rank_statistics ns;
  std::int32_t least_rank = 0;
  constexpr void combine(waits_to_begin const& other) {
    if (other.ns.least < ns.least || (other.ns.least == ns.least && other.least_rank < least_rank))
      least_rank = other.least_rank;
    ns.combine(other.ns);
  }
};

// Numbers of all calls, on one rank, and reduced over all ranks.
struct usage_numbers {
  struct row {
    rank_statistics calls;
    std::int64_t bytes = 0, file_calls = 0, failed = 0;
    // bytes of the largest call; of equal ones, the first on the lowest rank
    std::int64_t largest = -1;
    std::int32_t rank = 0;
    program_line at = {};
    void combine(row const& other);
  };
  std::array<row, call_kinds> rows = {};
  report_spreads totals = {};
  rank_statistics const& of(std::int64_t report::* which) const {
    std::size_t i = 0;
    while (report_numbers[i].value != which) ++i;
    return totals[i];
  }
  rank_statistics exchange = {};    // the time that the other numbers do not explain
  rank_statistics background = {};  // the part of the time that nonblocking calls took
  // For blocking calls that succeeded: the times for which the program waited.
  waits_to_begin begin = {};
  rank_statistics waited = {}, paced = {};  // waiting_ns and time_ns of these calls
  // number of them that all ranks carried out together, on the rank with most of them
  std::int64_t paced_together = 0;
  std::int64_t least_aggregators = std::numeric_limits<std::int64_t>::max(), most_aggregators = 0;
  std::int64_t views = 0;  // number of views that a rank has set
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
  ~usage();  // writes a note if no report was written
  usage(usage const&) = delete;
  usage& operator=(usage const&) = delete;

  // `begin_ns`: time for which the call waited until all ranks had come.
  void add(operation call, report const& done, bool failed, std::int64_t begin_ns = 0,
           exchanged_by const& together = {}, source_location const& where = {});
  void add_waited(std::int64_t ns);  // for nonblocking calls
  void add_view();
  usage_numbers numbers() const;
  void told() { told_ = true; }

 private:
  mutable std::mutex mutex_;
  std::string path_;
  int rank_;
  bool told_ = false;
  std::array<std::int64_t, call_kinds> calls_ = {}, bytes_ = {}, file_calls_ = {}, failed_ = {};
  std::array<std::int64_t, call_kinds> largest_of_kind_ = {};  // -1: there was no call
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

// The report that rank 0 has when the file is closed.
struct usage_report {
  std::string path = {};
  int ranks = 1;
  std::int64_t processors = 1;    // number of processors for the ranks, at most one for each rank
  std::int64_t open_ns = 0;       // from open to close
  std::string close_failed = {};  // the message; empty if close succeeded
  file_hints hints = {};
  std::string other_hints = {};  // lines: hints of other ranks that rank 0 was not given
  usage_numbers numbers = {};
  rank_statistics copy_ns =
      {};  // time of a plain copy of each rank's bytes; no ranks: not measured
  bool crowded() const { return processors < ranks; }
};
std::string to_string(usage_report const& r);
// Returns the advice, one line each.
std::vector<std::string> advice_of(usage_report const& r);

// Returns the time in which this rank copies as many bytes in memory: the best of several copies.
// -1 if it could not be measured.
std::int64_t plain_copy_ns(std::int64_t bytes);

// Writes the text to standard error, or to the end of the file that ARGOSY_REPORT names.
void publish(std::string const& text);

}  // namespace argosy::detail
