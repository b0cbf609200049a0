// b_eff_io under mpiexec: five types of patterns, written, rewritten and read by several numbers of
// ranks, through argosy's files and those of the MPI library.
// Run: mpiexec -n 4 build/release/bin/bench_beffio --impl both --seconds 60 --dir DIR
//      [--csv FILE] [--plots DIR] [--help]
// How to read its output: docs/use/beffio.md.
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <mpi.h>

#include <fmt/format.h>

#include <argosy/world/mpi.hpp>

#include "../support/result_files.hpp"
#include "argosy_files.hpp"
#include "interrupt.hpp"
#include "journal.hpp"
#include "machine.hpp"
#include "mpi_files.hpp"
#include "options.hpp"
#include "print.hpp"
#include "record.hpp"
#include "run.hpp"

namespace {

using namespace beffio;

std::vector<run_result> runs_in(std::string const& path) {
  return read_csv(path, bench::text_of_file(path));
}

std::vector<run_result> earlier_runs(options const& o) {
  std::vector<run_result> all;
  for (std::string const& path : o.compared)
    for (run_result& r : runs_in(path)) all.push_back(std::move(r));
  return all;
}

// A directory of this run alone, with all its files.
class run_directory {
 public:
  explicit run_directory(std::string const& in)
      : path_(fmt::format("{}/bench_beffio.{}.{}", in, host(), ::getpid())) {
    std::error_code error;
    if (!std::filesystem::create_directory(path_, error))
      throw bench::usage_error(path_ +
                               " cannot be made: " + (error ? error.message() : "it is there"));
  }
  std::string const& path() const { return path_; }
  // Tries again, because other ranks may still be making files in it.
  void remove() const {
    std::error_code error;
    for (int k = 0; k < 20 && std::filesystem::exists(path_, error); ++k)
      std::filesystem::remove_all(path_, error);
    if (std::filesystem::exists(path_, error))
      fmt::print(stderr, "bench_beffio: {} is left\n", path_);
  }

 private:
  static std::string host() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
  }
  std::string path_;
};

// The resources of the ranks together.
struct ground {
  std::int64_t memory_mib = 0;  // at most, for each rank
  std::int64_t cache = 0;       // bytes, sum over all nodes
};
struct least_memory {
  std::int64_t mib;
  void combine(least_memory const& other) { mib = std::min(mib, other.mib); }
};
ground ground_of(argosy::mpi const& world, options const& o) {
  argosy::mpi const node = world.node();
  least_memory each{memory_bytes() / mib / node.size()};
  world.all_reduce(each);
  argosy::detail::reducible_sum all{node.rank() == 0 ? memory_bytes() : 0};
  world.all_reduce(all);
  return {o.memory_mib > 0 ? o.memory_mib : std::max<std::int64_t>(1, each.mib),
          o.cache_mib > 0 ? o.cache_mib * mib : all.value};
}

// Returns rank 0's text on all ranks. Collective.
std::string told(argosy::mpi const& world, std::string text) {
  std::uint64_t size = text.size();
  world.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  text.resize(size);
  world.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

std::vector<run_result> empty_runs(options const& o, int ranks, ground const& g) {
  std::vector<run_result> runs;
  for (char const* const name : {"argosy", "mpi"}) {
    if (!(name == std::string("mpi") ? o.mpi : o.argosy)) continue;
    run_result& r = runs.emplace_back();
    r.rules = o.rules;
    r.all_rewrites = o.all_rewrites;
    r.implementation = name;
    r.machine = machine_name();
    r.date = date_now();
    r.hint_set = o.hint_set;
    r.ranks = ranks;
    r.seconds = o.seconds;
    r.memory_mib = g.memory_mib;
    r.shared_pointer = o.shared_pointer;
    r.unique = o.unique != unique_open::never;
  }
  return runs;
}

std::string plan_text(plan const& p) {
  std::string text = "type       pattern      chunk   of memory   units   seconds\n";
  for (int t = 0; t < types; ++t) {
    auto const all = patterns_of(t, p.longest);
    for (std::size_t k = 0; k < all.size(); ++k)
      text += fmt::format("{} {:<9} {:>6} {:>10} {:>11} {:>7} {:>9.3g}{}\n", t,
                          type_names[static_cast<std::size_t>(t)], k, all[k].chunk, all[k].memory,
                          all[k].units, p.when.seconds_of(all[k]),
                          all[k].units == 0 ? "  once"
                          : is_segmented(t) ? "  as many calls as types 0 to 2 had"
                                            : "");
  }
  text += "partitions:";
  for (int const n : p.partitions) text += fmt::format(" {}", n);
  return text + " ranks\n";
}

void measure(argosy::mpi const& world, options const& o, plan const& p, observer& tell) {
  argosy_files<argosy::mpi> ours;
  mpi_files theirs;
  if (o.argosy && o.mpi)
    run(world, p, tell, ours, theirs);
  else if (o.mpi)
    run(world, p, tell, theirs);
  else
    run(world, p, tell, ours);
}

// The state that only rank 0 has: journal, directory and signals.
class host {
 public:
  host(options const& o, plan& p, int ranks, ground const& g)
      : options_(o),
        others_(earlier_runs(o)),
        cache_(g.cache),
        directory_(o.directory),
        runs_(empty_runs(o, ranks, g)) {
    p.directory = directory_.path();
    auto const implementations = static_cast<int>(runs_.size());
    forecast const f = forecast_of(p.when, tried(p.directory), implementations,
                                   *std::max_element(p.partitions.begin(), p.partitions.end()),
                                   p.longest, free_bytes(p.directory), o.space_mib * mib);
    p.budget = f.budget;
    fmt::print("{}", to_string(f, p.when, implementations));
    std::fflush(stdout);
    if (!f.fits()) {
      directory_.remove();
      throw bench::usage_error("there is not enough space in " + o.directory);
    }
    if (o.dry_run) return;
    journal_.emplace(o, p.when, runs_, others_, cache_);
    interruption_.emplace([this](int signal) { interrupted(signal); });
  }
  host(host const&) = delete;
  host& operator=(host const&) = delete;
  // Also runs if an exception ends the run.
  ~host() {
    interruption_.reset();
    if (!options_.keep || options_.dry_run) directory_.remove();
  }
  observer& book() { return *journal_; }
  bool finish() {
    interruption_.reset();
    if (!options_.keep || options_.dry_run) directory_.remove();
    if (!journal_) return true;
    fmt::print("{}", journal_->text());
    if (options_.keep) fmt::print("files are kept in {}\n", directory_.path());
    return journal_->save(true) && journal_->went_well();
  }

 private:
  // Removes the files first, because the sender of the signal may soon kill this process.
  void interrupted(int signal) {
    ::signal(SIGPIPE, SIG_IGN);
    if (!options_.keep) directory_.remove();
    journal_->save(false);
    // Prints to standard error, because Open MPI's mpiexec sleeps until it kills. Then it reads the
    // rest of that pipe, but not the rest of the terminal that standard output looks like.
    fmt::print(stderr, "{}\ninterrupted: this is what was measured until then\n", journal_->text());
    if (!options_.keep) directory_.remove();  // files made meanwhile
    ::_exit(128 + signal);
  }

  options const& options_;
  std::vector<run_result> others_;
  std::int64_t cache_;
  run_directory directory_;
  std::vector<run_result> runs_;
  std::optional<journal> journal_;
  std::optional<interruption> interruption_;
};

int run_all(argosy::mpi const& world, options const& o) {
  bool const leads = world.rank() == 0;
  plan p;
  p.when = {o.rules, o.seconds, 1, o.all_rewrites, o.geometric};
  p.partitions = o.partitions.empty() ? partitions_of(world.size()) : o.partitions;
  p.when.partitions = static_cast<int>(p.partitions.size());
  p.unique = o.unique;
  p.shared_pointer = o.shared_pointer;
  p.keep = o.keep;
  ground const g = ground_of(world, o);
  p.longest = longest_chunk(g.memory_mib);

  std::optional<host> mine;
  std::string fault, hints;
  if (leads) try {
      if (p.partitions.back() > world.size())
        throw bench::usage_error(fmt::format("a partition of {} ranks, but there are {}",
                                             p.partitions.back(), world.size()));
      if (!o.hints.empty()) hints = bench::text_of_file(o.hints);
      p.hints = hint_file::parse(hints);
      mine.emplace(o, p, world.size(), g);
    } catch (std::exception const& e) {
      fault = e.what();
    }
  fault = told(world, fault);
  if (!fault.empty()) {
    if (leads) fmt::print(stderr, "bench_beffio: {}\n", fault);
    return bench::misused;
  }
  p.hints = hint_file::parse(told(world, hints));
  p.directory = told(world, p.directory);
  world.broadcast(std::as_writable_bytes(std::span(&p.budget, 1)), 0);

  observer nobody;
  if (!o.dry_run)
    measure(world, o, p, leads ? mine->book() : nobody);
  else if (leads)
    fmt::print("{}", plan_text(p));
  int status = leads && !mine->finish() ? 1 : 0;
  world.broadcast(std::as_writable_bytes(std::span(&status, 1)), 0);
  return status;
}

int show(options const& o) {
  std::vector<run_result> const runs = runs_in(o.from), others = earlier_runs(o);
  fmt::print("{}", all_text(runs, others, o.cache_mib > 0 ? o.cache_mib * mib : memory_bytes()));
  bool const well = save_tables(o, runs);
  return save_pictures(o, runs, others) && well ? 0 : 1;
}

int chosen(int argc, char** argv) {
  argosy::mpi const world(MPI_COMM_WORLD);
  bool const leads = world.rank() == 0;
  // Other ranks wait at a signal: if a rank ends at once, mpiexec gives the others no time, and
  // rank 0 has results to print first.
  std::optional<interruption> waits;
  if (!leads)
    waits.emplace([](int signal) {
      std::this_thread::sleep_for(std::chrono::seconds(3));
      ::_exit(128 + signal);
    });
  int status = 0;
  auto const read = bench::options_of(usage, argc, argv, status, options_from, leads);
  if (!read) return status;
  options const& o = *read;
  if (o.from.empty()) return run_all(world, o);
  if (leads) try {
      let_signals_end();
      status = show(o);
    } catch (std::exception const& e) {
      fmt::print(stderr, "bench_beffio: {}\n", e.what());
      status = bench::misused;
    }
  world.broadcast(std::as_writable_bytes(std::span(&status, 1)), 0);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  hold_signals();
  int given = 0, status = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  try {
    status = chosen(argc, argv);
  } catch (std::exception const& e) {
    fmt::print(stderr, "bench_beffio: {}\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
