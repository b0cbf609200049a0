// SPDX-License-Identifier: BSD-3-Clause
#include "journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "../support/result_files.hpp"
#include "plots.hpp"
#include "print.hpp"
#include "record.hpp"

namespace beffio {
namespace {

constexpr std::size_t most_failures = 10;  // failures printed; all are counted

// Opens the terminal. Under mpiexec, standard output and error are pipes, or look like a terminal
// and are none.
std::FILE* open_terminal() {
  int const d = ::open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC);
  return d < 0 ? nullptr : ::fdopen(d, "w");
}

}  // namespace

std::string progress_text(double share, double elapsed, std::string const& implementation,
                          contender const& who, pattern const& p) {
  std::string text =
      fmt::format("{:.0f} %, {}, {}, {}, type {} ({}), {}; {}", 100 * share, implementation,
                  ranks_text(who.partition), name_of(who.how), who.type,
                  type_names[static_cast<std::size_t>(who.type)],
                  p.chunk > 0 ? "chunks of " + chunk_text(p.chunk) : "the rest of its segment",
                  duration_text(elapsed));
  if (share > 0.02)
    text += fmt::format(", about {} more", duration_text(elapsed / share * (1 - share)));
  return text;
}

bool save_tables(options const& o, std::vector<run_result> const& runs) {
  bool well = true;
  if (!o.csv.empty())
    well = bench::put(o.csv, patterns_csv(runs)) &&
           bench::put(bench::beside(o.csv, "_summary"), summary_csv(runs));
  if (!o.json.empty()) well = bench::put(o.json, json(runs)) && well;
  return well;
}

bool save_pictures(options const& o, std::vector<run_result> const& runs,
                   std::vector<run_result> const& others) {
  bool well = true;
  if (!o.plots.empty())
    for (picture const& p : pictures(runs, others))
      well = bench::put_picture(o.plots, p.name, p.svg) && well;
  return well;
}

std::string all_text(std::vector<run_result> const& runs, std::vector<run_result> const& others,
                     std::int64_t cache) {
  std::string text;
  for (run_result const& r : runs) text += report_text(r, cache);
  for (std::size_t k = 1; k < runs.size(); ++k)
    text += comparison_text(runs[0], runs[k], runs[0].label() + " / " + runs[k].label());
  for (run_result const& r : runs)
    for (run_result const& other : others)
      text += comparison_text(r, other,
                              fmt::format("{} / {} of {}", r.label(), other.label(), other.date));
  return text;
}

journal::journal(options const& o, schedule const& s, std::vector<run_result> runs,
                 std::vector<run_result> others, std::int64_t cache)
    : options_(o), runs_(std::move(runs)), others_(std::move(others)), cache_(cache) {
  planned_units_ = static_cast<double>(units(s.rules, s.all_rewrites) * s.partitions) *
                   static_cast<double>(runs_.size());
  if (!o.quiet) terminal_ = open_terminal();
}

journal::~journal() {
  say("");
  if (terminal_ != nullptr) std::fclose(terminal_);
}

void journal::say(std::string const& line) const {
  if (terminal_ == nullptr) return;
  std::fprintf(terminal_, "\r\033[K%s", line.c_str());
  std::fflush(terminal_);
}

void journal::begins(contender const& who, int number) {
  if (terminal_ == nullptr) return;
  std::lock_guard const guard(mutex_);
  run_result const& r = runs_[who.index];
  auto const all = patterns_of(who.type, r.longest());
  auto const k = static_cast<std::size_t>(number);
  double const elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  say(progress_text(units_ / planned_units_, elapsed, r.implementation, who,
                    k < all.size() ? all[k] : pattern{}));
}

void journal::measured(contender const& who, cell const& c) {
  std::lock_guard const guard(mutex_);
  runs_[who.index].cells.push_back(c);
  units_ += c.what.units;
}

void journal::closed(contender const& who, double seconds, std::int64_t errors) {
  std::lock_guard const guard(mutex_);
  cell* last = nullptr;
  for (cell& c : runs_[who.index].cells)
    if (c.partition == who.partition && c.how == who.how && c.type == who.type) {
      c.close_seconds = seconds;
      last = &c;
    }
  if (last != nullptr) last->errors += errors;
  save_tables(options_, runs_);
}

void journal::failed(contender const& who, std::string const& what) {
  std::lock_guard const guard(mutex_);
  if (++failed_ > static_cast<std::int64_t>(most_failures)) return;
  failures_.push_back(fmt::format("{}, {}, {}, type {}: {}", runs_[who.index].implementation,
                                  ranks_text(who.partition), name_of(who.how), who.type, what));
}

bool journal::save(bool with_pictures) const {
  std::lock_guard const guard(mutex_);
  bool const well = save_tables(options_, runs_);
  return (!with_pictures || save_pictures(options_, runs_, others_)) && well;
}

std::string journal::text() const {
  std::lock_guard const guard(mutex_);
  say("");
  std::string text = all_text(runs_, others_, cache_);
  if (failures_.empty()) return text;
  text += "\nfailures, the first of each pattern:\n";
  for (std::string const& f : failures_) text += "  " + f + "\n";
  if (failed_ > static_cast<std::int64_t>(most_failures))
    text += fmt::format("  and {} more\n", failed_ - static_cast<std::int64_t>(most_failures));
  return text;
}

bool journal::went_well() const {
  std::lock_guard const guard(mutex_);
  return std::all_of(runs_.begin(), runs_.end(),
                     [](run_result const& r) { return r.errors() == 0 && r.wrong() == 0; });
}

}  // namespace beffio
