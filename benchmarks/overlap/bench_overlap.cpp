// How much of a nonblocking collective write a program hides behind its own work. The program calls
// iwrite_all, works as long as the write takes alone, and waits. This is measured in turn for
// argosy, for argosy that only uses MPI (argosy_progress = in_calls), and for the MPI library's own
// files.
//
//   mpiexec -n 4 bench_overlap [--dir D] [--bytes N] [--rounds N]
//
// "sleeps": the processor is free meanwhile, as if an accelerator did the work. "computes": the
// processor is busy.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/argosy.hpp>
#include <argosy/benchmark/measure.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../support/options.hpp"
#include "../support/statistics.hpp"

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

// Returns the time of the slowest rank. Throws on all ranks if one fails.
double seconds_of(std::function<void()> const& what) {
  io::bench::outcome const o = io::bench::measure(io::mpi(MPI_COMM_WORLD), what);
  if (o.failed()) throw std::runtime_error(o.error());
  return o.seconds;
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

struct implementation {
  char const* name;
  std::function<void(std::function<void()> const& meanwhile)> write;
};

// Measures the share of the write that is hidden behind work of the same length: 1 all, 0 none,
// negative if the write slows the work down.
void contest(std::vector<implementation> const& all, int rounds, char const* kind,
             void (*work)(double), bool tells) {
  std::vector<std::vector<double>> alone(all.size()), hidden(all.size());
  for (int round = -1; round < rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      double const a = seconds_of([&] { all[i].write([] {}); });
      double const b = seconds_of([&] { all[i].write([&] { work(a); }); });
      // does not count the first round, in which each makes the state that it caches
      if (round < 0) continue;
      alone[i].push_back(a * 1e3);
      hidden[i].push_back((a + a - b) / a);
    }
  for (std::size_t i = 0; i < all.size() && tells; ++i) {
    bench::spread const share = bench::spread_of(hidden[i]);
    std::printf("%-26s %-10s %10.2f %10.2f   (%.2f to %.2f)\n", all[i].name, kind,
                bench::median(alone[i]), share.median, share.low, share.high);
  }
}

void run(setting const& s, int rank, int ranks) {
  constexpr int piece = 1024;
  int const pieces = std::max(1, s.bytes / piece);
  std::vector<char> const data(static_cast<std::size_t>(pieces) * piece,
                               static_cast<char>('a' + rank % 26));
  std::string const ours = s.directory + "/bench_overlap.argosy",
                    theirs = s.directory + "/bench_overlap.mpi";

  // Pieces dealt to the ranks in turn.
  io::mode const how = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto const open = [&](char const* progress) {
    io::hints h;
    h.set("argosy_progress", progress);
    io::file f = io::file::open(MPI_COMM_WORLD, ours + progress, how, h);
    f.set_view(std::int64_t{piece} * rank,
               {io::bytes(1), io::resized(io::bytes(piece), 0, std::int64_t{piece} * ranks)});
    return f;
  };
  io::file beside = open("always"), in_calls = open("in_calls");
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, theirs.c_str(),
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_Datatype one = MPI_DATATYPE_NULL, dealt = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(piece, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, MPI_Aint{piece} * ranks, &dealt);
  MPI_Type_commit(&dealt);
  MPI_File_set_view(file, MPI_Offset{piece} * rank, MPI_BYTE, dealt, "native", MPI_INFO_NULL);
  MPI_Type_free(&dealt);
  MPI_Type_free(&one);

  auto const by = [&](io::file& f) {
    return [&](std::function<void()> const& meanwhile) {
      auto request = f.iwrite_at_all(0, data);
      meanwhile();
      request.wait();
    };
  };
  std::vector<implementation> const all{
      {"argosy", by(beside)},
      {"argosy, in_calls", by(in_calls)},
      {"the MPI library", [&](std::function<void()> const& meanwhile) {
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_File_iwrite_at_all(file, 0, data.data(), static_cast<int>(data.size()), MPI_BYTE,
                                &request);
         meanwhile();
         MPI_Wait(&request, MPI_STATUS_IGNORE);
       }}};
  if (rank == 0)
    std::printf(
        "%d ranks, %zu bytes each in pieces of %d, %d rounds; of the slowest rank\n%-26s %-10s "
        "%10s %10s\n",
        ranks, data.size(), piece, s.rounds, "", "meanwhile", "alone, ms", "hidden");
  contest(all, s.rounds, "sleeps", sleep_for, rank == 0);
  contest(all, s.rounds, "computes", compute_for, rank == 0);
  beside.close();
  in_calls.close();
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (auto const s = bench::options_of(usage, argc, argv, status, setting_from, rank == 0))
    run(*s, rank, ranks);
  MPI_Finalize();
  return status;
}
