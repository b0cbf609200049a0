// The main function of a suite of Google Benchmark that runs on several ranks of MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <argosy/benchmark/detail/relay.hpp>
#include <argosy/benchmark/detail/same_words.hpp>
#include <argosy/benchmark/measure.hpp>
#include <argosy/version.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy::bench {

// Initialises MPI and Google Benchmark on all ranks, and runs the registered cases. Rank 0 reports,
// and writes the file of --benchmark_out. The other ranks are silent. For a program that has
// options of its own:
//
//   int main(int argc, char** argv) {
//     io::bench::session all(argc, argv);
//     if (!all.runs()) return all.status();
//     ...  // reads argc and argv, from which Google Benchmark's options are gone
//     return all.run();
//   }
//
// All ranks need the same options and the same variables BENCHMARK_..., because all must run the
// same cases. Cases in random order are refused, because each rank would choose another order.
class session {
 public:
  // Collective. `help` prints the help, on rank 0. MPI is initialised if the program has not done
  // so, and then finalized by the destructor. A program that measures MPI's threads initialises it
  // before.
  session(int& argc, char** argv, void (*help)() = benchmark::PrintDefaultHelp) {
    int initialised = 0;
    MPI_Initialized(&initialised);
    int level = 0;
    if (!initialised) MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    finalizes_ = !initialised;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    std::vector<std::string> words = detail::words_of_environment();
    for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
    if (!accepts(words)) return;
    // mpiexec gives a rank a terminal, also if the output goes to a file.
    if (detail::value_of(words, "--benchmark_color").empty())
      initialise_by("--benchmark_color=false");
    initialise(argc, argv, help);
  }
  session(session const&) = delete;
  session& operator=(session const&) = delete;
  ~session() {
    if (finalizes_) MPI_Finalize();
  }

  // Returns false if the program is to end with status(), because the options are wrong. Rank 0 has
  // said why. If help was requested, the constructor prints it and ends the program.
  bool runs() const noexcept { return status_ == 0; }
  int status() const noexcept { return status_; }
  int rank() const noexcept { return rank_; }

  // Runs the cases that the options select, and returns the status of the program: 1 if a case
  // failed on any rank, or if no case was selected. Collective. Rank 0 reports to `display`. If it
  // is null, rank 0 reports in the form that --benchmark_format says.
  int run(benchmark::BenchmarkReporter* display = nullptr) {
    if (rank_ == 0 && display == nullptr) display = benchmark::CreateDefaultDisplayReporter();
    detail::relay reporter(rank_ == 0 ? display : nullptr);
    std::size_t const cases = benchmark::RunSpecifiedBenchmarks(&reporter);
    // A rank that is done while others run more iterations is noticed here.
    mpi const world = mpi(MPI_COMM_WORLD).duplicate();
    measure(world, [] {});
    int failed = reporter.failed() || cases == 0 ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return failed;
  }

 private:
  // Checks the options together with the other ranks. Collective.
  bool accepts(std::vector<std::string> const& words) {
    std::string why;
    if (!detail::same_on_all(MPI_COMM_WORLD, words))
      why = "ranks have different options or variables BENCHMARK_...; start all with the same";
    std::string const order = detail::value_of(words, "--benchmark_enable_random_interleaving");
    if (!order.empty() && order != "false" && order != "0")
      why =
          "--benchmark_enable_random_interleaving: each rank would run the cases in another "
          "order, and ranks would wait for each other for ever; leave it out";
    std::string const file = detail::value_of(words, "--benchmark_out");
    if (rank_ == 0 && why.empty() && !file.empty() && !std::ofstream(file, std::ios::app))
      why = "--benchmark_out: " + file + " cannot be written";
    if (rank_ == 0 && !why.empty()) std::fprintf(stderr, "%s\n", why.c_str());
    status_ = why.empty() ? 0 : 2;
    MPI_Allreduce(MPI_IN_PLACE, &status_, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return status_ == 0;
  }
  void initialise(int& argc, char** argv, void (*help)()) {
    help_printer = help;
    // Google Benchmark prints a message about a wrong value. Rank 0 does that for all.
    std::streambuf* const errors = rank_ == 0 ? nullptr : std::cerr.rdbuf(nullptr);
    benchmark::Initialize(&argc, argv, end_with_help);
    if (rank_ != 0) {
      std::cerr.rdbuf(errors);
      initialise_by("--benchmark_out=");
    }
  }
  static void initialise_by(std::string option) {
    std::string program = "suite";
    char* words[] = {program.data(), option.data(), nullptr};
    int count = 2;
    benchmark::Initialize(&count, words, end_with_help);
  }
  // Google Benchmark calls this for --help and for values that it does not know, on all ranks, and
  // then ends the program.
  static void end_with_help() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) help_printer();
    std::fflush(stdout);
    MPI_Finalize();
  }

  static inline void (*help_printer)() = nullptr;
  bool finalizes_ = false;
  int rank_ = 0, status_ = 0;
};

// Runs the registered cases, and returns the status of the program. Reports begin with the number
// of ranks and the version of argosy.
inline int mpi_main(int argc, char** argv) {
  session all(argc, argv);
  if (!all.runs()) return all.status();
  if (argc > 1) {
    if (all.rank() == 0) benchmark::ReportUnrecognizedArguments(argc, argv);
    return 2;
  }
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  benchmark::AddCustomContext("ranks", std::to_string(ranks));
  benchmark::AddCustomContext("argosy", std::string(argosy::version()));
  return all.run();
}

}  // namespace argosy::bench

// Defines the main function of a suite that has no options of its own, as BENCHMARK_MAIN() does for
// programs of one process.
#define ARGOSY_BENCHMARK_MAIN()                                                   \
  int main(int argc, char** argv) { return argosy::bench::mpi_main(argc, argv); } \
  static_assert(true, "a semicolon follows the macro")
