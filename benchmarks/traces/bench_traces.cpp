// The cost of ARGOSY_TRACE: the same calls on files that are traced and on files that are not, in
// turn.
// Run: mpiexec -n 2 build/release/bin/bench_traces [--dir DIR] [--rounds N] [--calls N]
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

#include "../support/options.hpp"
#include "../support/statistics.hpp"

namespace io = argosy;

namespace {

struct way {
  char const* mode;
  char const* write;
};
constexpr std::array<way, 6> ways{{{"off", ""},
                                   {"off", ""},
                                   {"calls", "gathered"},
                                   {"phases", "gathered"},
                                   {"calls", "at_once"},
                                   {"phases", "at_once"}}};

std::string name_of(way const& w) { return std::string(w.mode) + w.write; }

struct ground {
  io::mpi world = MPI_COMM_WORLD;
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

// Each round makes a number of calls on each file.
void contest(ground const& g, char const* name, std::int64_t bytes, io::view const& seen,
             std::function<void(io::file&, std::vector<std::byte>&)> const& call) {
  std::int64_t const calls =
      std::clamp<std::int64_t>((std::int64_t{4} << 20) / bytes, 1, g.most_calls);
  std::vector<io::file> files;
  for (std::size_t k = 0; k < ways.size(); ++k) {
    ::setenv("ARGOSY_TRACE", ways[k].mode, 1);
    ::setenv("ARGOSY_TRACE_WRITE", ways[k].write, 1);
    // A rank writes one trace in a directory, so each file has its own.
    ::setenv("ARGOSY_TRACE_DIR", (g.directory + "/" + name_of(ways[k])).c_str(), 1);
    files.push_back(
        io::file::open(g.world, g.directory + "/data" + std::to_string(k),
                       io::mode::create | io::mode::read_write | io::mode::unique_open));
    files.back().set_view(seen);
  }
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes), std::byte{1});
  io::bench::contest turns(io::bench::slowest_of(g.world));
  for (std::size_t k = 0; k < ways.size(); ++k)
    turns.enter(std::to_string(k), [&, k] { call(files[k], memory); }, calls);
  for (int round = -1; round < g.rounds; ++round) turns.round();
  std::array<std::vector<double>, ways.size()> took, ratio;
  for (std::size_t k = 0; k < ways.size(); ++k) {
    std::vector<double> const& all = turns.seconds(std::to_string(k));
    took[k].assign(all.begin() + 1, all.end());  // the first round does not count
  }
  for (std::size_t round = 0; round < took[0].size(); ++round)
    for (std::size_t k = 0; k < ways.size(); ++k)
      ratio[k].push_back(2 * took[k][round] / (took[0][round] + took[1][round]));
  for (io::file& f : files) f.close();
  if (g.world.rank() != 0) return;
  std::printf("| `%s` | %lld | %.2f |", name, static_cast<long long>(bytes),
              bench::median(took[0]) * 1e6);
  for (std::size_t k = 1; k < ways.size(); ++k)
    std::printf(" %+.1f %% |", 100 * (bench::median(ratio[k]) - 1));
  std::printf("\n");
}

void run(ground const& g) {
  if (g.world.rank() == 0) {
    for (way const& w : ways) std::filesystem::create_directories(g.directory + "/" + name_of(w));
    std::printf(
        "| call | bytes | off, us | again | `calls` | `phases` | `calls` `at_once` | `phases` "
        "`at_once` |\n"
        "|---|---|---|---|---|---|---|---|\n");
  }
  g.world.barrier();

  std::int64_t const rank = g.world.rank(), ranks = g.world.size();
  for (std::int64_t const bytes : {std::int64_t{8}, std::int64_t{4} << 10, std::int64_t{64} << 10,
                                   std::int64_t{1} << 20, std::int64_t{16} << 20}) {
    io::view const mine(rank * bytes, io::type<std::byte>, io::type<std::byte>);
    contest(g, "write_at", bytes, mine,
            [](io::file& f, std::vector<std::byte>& m) { f.write_at(0, m); });
    contest(g, "read_at", bytes, mine,
            [](io::file& f, std::vector<std::byte>& m) { f.read_at(0, m); });
    // Pieces of 512 bytes of all ranks in turn, written together.
    std::int64_t const piece = std::min<std::int64_t>(bytes, 512);
    io::view const dealt(piece * rank, io::type<std::byte>,
                         io::resized(io::bytes(piece), 0, piece * ranks));
    contest(g, "write_at_all", bytes, dealt,
            [](io::file& f, std::vector<std::byte>& m) { f.write_at_all(0, m, io::two_phase{}); });
  }
  g.world.barrier();
  if (rank == 0) std::filesystem::remove_all(g.directory);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (auto const g = bench::options_of(usage, argc, argv, status, ground_from, rank == 0)) run(*g);
  MPI_Finalize();
  return status;
}
