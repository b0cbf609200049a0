// Runs random programs under faults, on real processes and files: mpiexec -n 4
// build/release/bin/explore_mpi --seeds 1:2000
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "command_line.hpp"
#include "remote_ground.hpp"
#include "remote_run.hpp"

namespace {

using namespace argosy;
using namespace argosy::explore;

constexpr char const* usage =
    R"(mpiexec -n N explore_mpi [--seeds FROM:TO | --seconds S] [--dir DIR] [--patience S]
        [--shrink] [--verbose]

Runs random programs of file calls on N processes and real files; faults break the system calls of
the processes. Each is checked as `explore` checks it: every rank returns the promised error, and
every byte of every file is right.

  --seeds FROM:TO   these, both included; default 1:200
  --seconds S       from the first one on, as many as there is time for
  --dir DIR         where the files are: in a new directory there, which is removed at the end;
                    default: TMPDIR, or /tmp
  --patience S      of one program: after so many seconds the job ends, and each rank says where it
                    hangs; default 60
  --shrink          what is wrong in a shorter program, too: runs it many times
  --verbose         every program, before it runs
)";

struct options {
  std::uint64_t from = 1, to = 200;
  std::optional<double> seconds;
  std::string directory;
  unsigned patience_seconds = 60;
  bool shrink = false, verbose = false, help = false;
};

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    std::string const name = argv[i];
    auto const value = [&]() -> std::string {
      if (i + 1 == argc) throw std::invalid_argument(name + " needs a value");
      return argv[++i];
    };
    if (name == "--seeds") {
      std::string const range = value();
      auto const colon = range.find(':');
      o.from = explore::whole_number(range.substr(0, colon));
      o.to = colon == std::string::npos ? o.from : explore::whole_number(range.substr(colon + 1));
    } else if (name == "--seconds") {
      o.seconds = static_cast<double>(explore::whole_number(value()));
    } else if (name == "--dir") {
      o.directory = value();
      if (!std::filesystem::is_directory(o.directory))
        throw std::invalid_argument("'" + o.directory + "' is no directory");
    } else if (name == "--patience") {
      o.patience_seconds = static_cast<unsigned>(explore::whole_number(value()));
    } else if (name == "--shrink") {
      o.shrink = true;
    } else if (name == "--verbose") {
      o.verbose = true;
    } else if (name == "--help") {
      o.help = true;
    } else {
      throw std::invalid_argument("what is '" + name + "'?");
    }
  }
  return o;
}

void print(char const* what, features const& all, feature f) {
  std::string line = fmt::format("{:<11}", what);
  for (auto const& [name, n] : all.of(f)) line += fmt::format(" {} {}", name, n);
  std::cout << line << "\n";
}

// Returns true if standard error ends at a terminal. Under mpiexec it is a pipe of each process, so
// that of the parent, mpiexec, is checked.
bool errors_reach_a_terminal() {
  if (::isatty(2) != 0) return true;
  std::error_code unknown;
  std::string const to =
      std::filesystem::read_symlink(fmt::format("/proc/{}/fd/2", ::getppid()), unknown).string();
  return to.starts_with("/dev/pts/") || to.starts_with("/dev/tty");
}

class progress {
 public:
  explicit progress(bool shows) : shows_(shows && errors_reach_a_terminal()) {}
  void show(std::string const& words) {
    auto const now = std::chrono::steady_clock::now();
    if (!shows_ || now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    std::cerr << "\r" << words << std::flush;
  }
  void clear() const {
    if (shows_) std::cerr << "\r\033[K" << std::flush;
  }

 private:
  bool shows_;
  std::chrono::steady_clock::time_point last_;
};

bool explore_seeds(options const& o, mpi const& world) {
  auto const began = std::chrono::steady_clock::now();
  auto const seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  bool const speaks = world.rank() == 0;
  common_ground const directory(world, o.directory);
  hang_watch watch(world.rank(), o.patience_seconds);
  meeting_place place(world.get(), directory.path());
  ground const here{world, place, directory.path(),
                    [&](int step, char const* call) { watch.at(step, call); }};
  // All ranks must stop at the same seed.
  auto const goes_on = [&](std::uint64_t seed) {
    if (!o.seconds) return seed <= o.to;
    return place.first(speaks && seconds() >= *o.seconds ? "time is up" : "", world.size()).empty();
  };
  features all;
  std::int64_t passed = 0, failed = 0, struck = 0;
  progress bar(speaks);
  for (std::uint64_t seed = o.from; goes_on(seed); ++seed) {
    program const p = random_program(seed, world.size());
    bar.show(
        fmt::format("seed {}, {} passed, {} failed, {:.0f} s", seed, passed, failed, seconds()));
    if (speaks && o.verbose) std::cout << to_test(p, fmt::format("seed {}", seed)) << std::flush;
    auto const run = [&](program const& q) {
      watch.begin(seed);
      return verdict_on_processes(q, here);
    };
    process_verdict const v = run(p);
    all.add(v.features);
    struck += v.struck;
    ++(v.wrong.empty() ? passed : failed);
    if (v.wrong.empty()) continue;
    bar.clear();
    if (speaks)
      std::cout << fmt::format("\nseed {} on {} processes: {}\n", seed, world.size(), v.wrong)
                << std::flush;
    program shown = p;
    if (o.shrink) {  // every rank deletes the same steps, because all reach the same verdict
      shown = shrunk(p, [&](program const& q) { return !run(q).wrong.empty(); });
      std::string const wrong = run(shown).wrong;
      if (speaks) std::cout << "in short: " << (wrong.empty() ? "(not every time)" : wrong) << "\n";
    }
    if (speaks)
      std::cout << to_test(shown,
                           fmt::format("found by seed {} on {} processes", seed, world.size()))
                << std::flush;
  }
  bar.clear();
  if (speaks) {
    print("operations", all, feature::call);
    print("policies", all, feature::policy);
    std::cout << fmt::format("{:<11} {} system calls\n", "struck", struck);
    std::cout << fmt::format("{} passed, {} failed ({:.1f} s)\n", passed, failed, seconds())
              << std::flush;
  }
  return failed == 0;
}

int explored(int argc, char** argv) {
  mpi const world = mpi(MPI_COMM_WORLD).duplicate();
  options o;
  try {
    o = parse(argc, argv);
  } catch (std::exception const& e) {
    if (world.rank() == 0) std::cerr << "explore_mpi: " << e.what() << "\n" << usage;
    return 2;
  }
  if (o.help) {
    if (world.rank() == 0) std::cout << usage;
    return 0;
  }
  try {
    return explore_seeds(o, world) ? 0 : 1;
  } catch (std::exception const& e) {  // on one rank: the other ranks wait for this one
    std::cerr << fmt::format("explore_mpi: rank {}: {}\n", world.rank(), e.what()) << std::flush;
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 3;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  int const code = explored(argc, argv);
  MPI_Finalize();
  return code;
}
