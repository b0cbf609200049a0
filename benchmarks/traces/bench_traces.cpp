// The cost of ARGOSY_TRACE: the same calls on files that are traced and on files that are not, in
// turn.
// Run: mpiexec -n 2 build/release/bin/bench_traces
//      [--benchmark_filter=^write_at/8/] [--dir DIR] [--rounds N] [--calls N]
// `again` is a second file without a trace: its distance from the first shows the noise. The others
// are compared with the mean of both. Times are those of the slowest rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <argosy/argosy.hpp>
#include <argosy/benchmark/contest.hpp>
#include <argosy/benchmark/ranks_case.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <mpi.h>

#include "../support/suite.hpp"

namespace io = argosy;

namespace {

struct way {
  char const *name, *mode, *write;
};
constexpr std::array<way, 6> ways{{{"off", "off", ""},
                                   {"again", "off", ""},
                                   {"calls", "calls", "gathered"},
                                   {"phases", "phases", "gathered"},
                                   {"calls_at_once", "calls", "at_once"},
                                   {"phases_at_once", "phases", "at_once"}}};

struct ground {
  std::string directory = "/dev/shm";
  int rounds = 21;
  std::int64_t most_calls = 2000;
};

constexpr bench::option_info table[] = {
    {"--dir", "DIR", "where files and traces are made (default: /dev/shm)"},
    {"--rounds", "N", "(default: 21)"},
    {"--calls", "N", "of a round, at most (default: 2000)"},
};
constexpr bench::program usage{
    "bench_traces",
    "What ARGOSY_TRACE costs: the same calls on files that are traced and on files that are not.",
    table};

ground ground_from(bench::arguments const& given) {
  ground g;
  g.directory = given.value("--dir", g.directory) + "/argosy_bench_traces";
  g.rounds = given.small_number("--rounds", g.rounds, 1);
  g.most_calls = given.number("--calls", g.most_calls, 1);
  return g;
}

using call = void (*)(io::file&, std::vector<std::byte>&);

io::view seen_by(io::mpi const& world, std::string const& name, std::int64_t bytes) {
  auto const byte = io::type<std::byte>;
  if (!name.starts_with("write_at_all")) return {bytes * world.rank(), byte, byte};
  // Pieces of 512 bytes of all ranks in turn, written together.
  std::int64_t const piece = std::min<std::int64_t>(bytes, 512);
  return {piece * world.rank(), byte, io::resized(io::bytes(piece), 0, piece * world.size())};
}

// Opens a file for each way. Collective.
std::vector<io::file> open_all(io::mpi const& world, std::string const& directory,
                               io::view const& seen) {
  std::vector<io::file> files;
  for (way const& w : ways) {
    ::setenv("ARGOSY_TRACE", w.mode, 1);
    ::setenv("ARGOSY_TRACE_WRITE", w.write, 1);
    // A rank writes one trace in a directory, so each file has its own.
    ::setenv("ARGOSY_TRACE_DIR", (directory + w.name).c_str(), 1);
    files.push_back(
        io::file::open(world, directory + w.name + "/data",
                       io::mode::create | io::mode::read_write | io::mode::unique_open));
    files.back().set_view(seen);
  }
  return files;
}

// Adds counters: the time without a trace, and its share that a trace costs more.
void count_costs(benchmark::State& state, io::bench::contest const& turns) {
  std::vector<double> off = turns.seconds("off");
  std::vector<double> const& again = turns.seconds("again");
  state.counters["off"] = io::bench::median(off);
  off.resize(std::min(off.size(), again.size()));  // they differ if a call threw
  for (std::size_t k = 0; k < off.size(); ++k) off[k] = (off[k] + again[k]) / 2;
  for (std::size_t k = 1; k < ways.size(); ++k)
    bench::count(state, ways[k].name,
                 io::bench::spread_of(io::bench::ratios_of(off, turns.seconds(ways[k].name))));
}

// Makes `calls` calls on each file in each round.
void run(benchmark::State& state, ground const& g, std::string const& name, std::int64_t bytes,
         std::int64_t calls, call make) {
  io::bench::ranks_case all(state, MPI_COMM_WORLD, name);
  io::mpi const& world = all.world();
  std::string const directory = g.directory + "/" + name + "/";
  std::vector<io::file> files;
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes), std::byte{1});
  all.prepare([&] {
    if (world.rank() != 0) return;
    for (way const& w : ways) std::filesystem::create_directories(directory + w.name);
  });
  all.prepare([&] {
    files = open_all(world, directory, seen_by(world, name, bytes));
    for (io::file& f : files) f.write_at_all(0, memory);
  });
  io::bench::contest turns(io::bench::slowest_of(world));
  for (std::size_t k = 0; k < files.size(); ++k)
    turns.enter(ways[k].name, [&, k] { make(files[k], memory); }, calls);
  if (all.failed()) return;
  turns.run(state);
  count_costs(state, turns);
  all.prepare([&] {
    for (io::file& f : files) f.close();
  });
  if (world.rank() == 0) std::filesystem::remove_all(g.directory);
}

void enter_all(ground const& g) {
  auto const enter = [&](char const* kind, std::int64_t bytes, call make) {
    std::string const name = kind + ("/" + std::to_string(bytes));
    std::int64_t const calls =
        std::clamp<std::int64_t>((std::int64_t{4} << 20) / bytes, 1, g.most_calls);
    benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State& state) { run(state, g, name, bytes, calls, make); })
        ->UseManualTime()
        ->Iterations(calls * g.rounds)
        ->Unit(benchmark::kMicrosecond);
  };
  for (std::int64_t const bytes : {8, 4 << 10, 64 << 10, 1 << 20, 16 << 20}) {
    enter("write_at", bytes, [](io::file& f, std::vector<std::byte>& m) { f.write_at(0, m); });
    enter("read_at", bytes, [](io::file& f, std::vector<std::byte>& m) { f.read_at(0, m); });
    enter("write_at_all", bytes,
          [](io::file& f, std::vector<std::byte>& m) { f.write_at_all(0, m, io::two_phase{}); });
  }
}

void print_table(std::FILE* out, ground const&, bench::results const& runs) {
  fmt::print(
      out,
      "\n| call | bytes | off, us | again | `calls` | `phases` | `calls` `at_once` | `phases` "
      "`at_once` |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (auto const& r : runs) {
    std::string const& name = r.run_name.function_name;
    std::size_t const slash = name.find('/');
    fmt::print(out, "| `{}` | {} | {:.2f} |", name.substr(0, slash), name.substr(slash + 1),
               bench::counter(r, "off") * 1e6);
    for (std::size_t k = 1; k < ways.size(); ++k)
      fmt::print(out, " {:+.1f} % |", 100 * (bench::counter(r, ways[k].name) - 1));
    fmt::print(out, "\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_suite<usage>(argc, argv, ground_from, enter_all, print_table);
}
