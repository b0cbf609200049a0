// How much of a nonblocking collective write a program hides behind its own work. The program calls
// iwrite_all, works as long as the write takes alone, and waits. This is measured in turn for
// argosy, for argosy that only uses MPI (argosy_progress = in_calls), and for the MPI library's own
// files.
//
//   mpiexec -n 4 bench_overlap [--benchmark_filter=sleeps] [--dir D] [--bytes N] [--rounds N]
//
// "sleeps": the processor is free meanwhile, as if an accelerator did the work. "computes": the
// processor is busy.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/argosy.hpp>
#include <argosy/benchmark/contest.hpp>
#include <argosy/benchmark/ranks_case.hpp>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../support/suite.hpp"

namespace io = argosy;

namespace {

struct setting {
  std::string directory = "/dev/shm";
  int bytes = 4 << 20;
  int rounds = 15;
};

constexpr bench::option_info table[] = {
    {"--dir", "D", "where the files are made (default: /dev/shm)"},
    {"--bytes", "N", "of each rank (default: 4m)"},
    {"--rounds", "N", "(default: 15)"},
};
constexpr bench::program usage{"bench_overlap",
                               "How much of a nonblocking collective write a program hides behind "
                               "its own work.",
                               table};

setting setting_from(bench::arguments const& given) {
  setting s;
  s.directory = given.value("--dir", s.directory);
  s.bytes = given.small_number("--bytes", s.bytes, 8);
  s.rounds = given.small_number("--rounds", s.rounds, 1);
  return s;
}

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}
void compute_for(double seconds) {
  double const end = MPI_Wtime() + seconds;
  double volatile x = 1;
  while (MPI_Wtime() < end)
    for (int i = 0; i < 1000; ++i) x = x * 1.0000001;
}

using work = std::function<void()>;
using implementation = std::function<void(work const& meanwhile)>;

constexpr std::int64_t piece = 1024;
std::int64_t bytes_of(setting const& s) {
  return std::max<std::int64_t>(1, s.bytes / piece) * piece;
}

void require(int result) {
  if (result != MPI_SUCCESS) throw std::runtime_error("a call of MPI failed");
}

io::file open_ours(io::mpi const& world, setting const& s, char const* progress) {
  io::hints h;
  h.set("argosy_progress", progress);
  io::file f =
      io::file::open(world, s.directory + "/bench_overlap.argosy" + progress,
                     io::mode::create | io::mode::read_write | io::mode::delete_on_close, h);
  // Pieces dealt to the ranks in turn.
  f.set_view(piece * world.rank(),
             {io::bytes(1), io::resized(io::bytes(piece), 0, piece * world.size())});
  return f;
}
MPI_File open_theirs(io::mpi const& world, setting const& s) {
  MPI_File f = MPI_FILE_NULL;
  require(MPI_File_open(world.get(), (s.directory + "/bench_overlap.mpi").c_str(),
                        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &f));
  MPI_Datatype one = MPI_DATATYPE_NULL, dealt = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(piece, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, piece * world.size(), &dealt);
  MPI_Type_commit(&dealt);
  require(MPI_File_set_view(f, piece * world.rank(), MPI_BYTE, dealt, "native", MPI_INFO_NULL));
  MPI_Type_free(&dealt);
  MPI_Type_free(&one);
  return f;
}

struct way {
  char const *counter, *name;
};
constexpr std::array<way, 3> ways{
    {{"argosy", "argosy"}, {"in_calls", "argosy, in_calls"}, {"mpi", "the MPI library"}}};

// Runs the rounds of a case, in which all implementations have their turns. The counter
// NAME_hidden is the share of the write that is hidden behind work of the same length: 1 all, 0
// none, negative if the write slows the work down.
void run_rounds(benchmark::State& state, io::mpi const& world,
                std::array<implementation, ways.size()> const& all, void (*work_for)(double)) {
  std::size_t running = 0;
  double work_s = 0;
  std::array<std::vector<double>, ways.size()> hidden;
  io::bench::stopwatch const slowest = io::bench::slowest_of(world, 0);
  io::bench::contest turns([&](io::bench::action const& write, std::int64_t calls) {
    work_s = 0;
    double const alone = slowest(write, calls);
    work_s = alone;
    hidden[running].push_back((alone + alone - slowest(write, calls)) / alone);
    return alone;
  });
  for (std::size_t k = 0; k < ways.size(); ++k)
    turns.enter(ways[k].counter, [&, k] {
      running = k;
      all[k]([&] { work_for(work_s); });
    });
  turns.run(state);
  for (std::size_t k = 0; k < ways.size(); ++k) {
    std::string const name = ways[k].counter;
    state.counters[name + "_ms"] = io::bench::median(turns.seconds(name)) * 1e3;
    bench::count(state, name + "_hidden", io::bench::spread_of(hidden[k]));
  }
}

void run(benchmark::State& state, setting const& s, char const* name, void (*work_for)(double)) {
  io::bench::ranks_case ranks(state, MPI_COMM_WORLD, name);
  std::vector<char> const data(static_cast<std::size_t>(bytes_of(s)),
                               static_cast<char>('a' + ranks.world().rank() % 26));
  io::file always, in_calls;
  MPI_File theirs = MPI_FILE_NULL;
  auto const by = [&](io::file& f) {
    return [&](work const& meanwhile) {
      auto request = f.iwrite_at_all(0, data);
      meanwhile();
      request.wait();
    };
  };
  std::array<implementation, ways.size()> const all{
      by(always), by(in_calls), [&](work const& meanwhile) {
        MPI_Request request = MPI_REQUEST_NULL;
        require(MPI_File_iwrite_at_all(theirs, 0, data.data(), static_cast<int>(data.size()),
                                       MPI_BYTE, &request));
        meanwhile();
        require(MPI_Wait(&request, MPI_STATUS_IGNORE));
      }};
  ranks.prepare([&] {
    always = open_ours(ranks.world(), s, "always");
    in_calls = open_ours(ranks.world(), s, "in_calls");
    theirs = open_theirs(ranks.world(), s);
    // The first write makes the state that each caches.
    for (implementation const& write : all) write([] {});
  });
  if (!ranks.failed()) run_rounds(state, ranks.world(), all, work_for);
  ranks.prepare([&] {
    always.close();
    in_calls.close();
    MPI_File_close(&theirs);
  });
}

void enter_all(setting const& s) {
  auto const enter = [&](char const* name, void (*work_for)(double)) {
    benchmark::RegisterBenchmark(name,
                                 [=](benchmark::State& state) { run(state, s, name, work_for); })
        ->UseManualTime()
        ->Iterations(s.rounds)
        ->Unit(benchmark::kMillisecond);
  };
  enter("sleeps", sleep_for);
  enter("computes", compute_for);
}

void print_table(std::FILE* out, setting const& s, bench::results const& runs) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  fmt::print(out,
             "\n{} ranks, {} bytes each in pieces of {}, {} rounds; of the slowest rank\n"
             "{:<26} {:<10} {:>10} {:>10}\n",
             ranks, bytes_of(s), piece, s.rounds, "", "meanwhile", "alone, ms", "hidden");
  for (auto const& r : runs)
    for (way const& w : ways) {
      auto const number = [&](char const* what) {
        return bench::counter(r, w.counter + std::string(what));
      };
      fmt::print(out, "{:<26} {:<10} {:>10.2f} {:>10.2f}   ({:.2f} to {:.2f})\n", w.name,
                 r.run_name.function_name, number("_ms"), number("_hidden"), number("_hidden_low"),
                 number("_hidden_high"));
    }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_suite<usage>(argc, argv, setting_from, enter_all, print_table);
}
