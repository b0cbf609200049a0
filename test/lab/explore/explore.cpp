// Runs random programs under random faults, in the virtual cluster: build/release/bin/explore
// --seconds 60
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "command_line.hpp"
#include "features.hpp"
#include "places.hpp"
#include "run.hpp"
#include "sweep.hpp"

namespace {

using namespace argosy;
using namespace argosy::explore;

constexpr char const* usage =
    R"(explore [--seeds FROM:TO | --seconds N] [--ranks N] [--handle NAME] [--crash]
        [--features] [--verbose]
explore --sweep

Runs random programs of file calls on virtual ranks, under random faults, and checks each: no rank
waits for ever, every rank returns the promised error, and every byte of every file is right. A seed
is a program; it runs the same every time.

  --seeds FROM:TO   these, both included; default 1:1000
  --seconds N       from the first one on, as many as there is time for
  --ranks N         all programs on so many ranks; default: mostly few, sometimes 4096
  --handle NAME     on which files: virtual, or gpfs, the simulated one: small machines, with faults
                    inside
  --crash           after every file call, looks at what a crash would leave; default: in some
                    programs
  --features        at the end a table of what came up how often, and what never did
  --verbose         every program, before it runs
  --sweep           instead: small programs, each with every file call of every rank failing by
                    every error
)";

struct options {
  std::uint64_t from = 1, to = 1000;
  std::optional<double> seconds;
  int ranks = 0;
  bool crash = false, features = false, verbose = false, sweep = false, gpfs = false;
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
      o.from = whole_number(range.substr(0, colon));
      o.to = colon == std::string::npos ? o.from : whole_number(range.substr(colon + 1));
    } else if (name == "--seconds") {
      o.seconds = static_cast<double>(whole_number(value()));
    } else if (name == "--ranks") {
      o.ranks = static_cast<int>(whole_number(value()));
      if (o.ranks < 1 || o.ranks > 16384) throw std::invalid_argument("--ranks takes 1 to 16384");
    } else if (name == "--handle") {
      std::string const handle = value();
      if (handle != "virtual" && handle != "gpfs")
        throw std::invalid_argument("no handle '" + handle + "': there are virtual and gpfs");
      o.gpfs = handle == "gpfs";
    } else if (name == "--crash") {
      o.crash = true;
    } else if (name == "--features") {
      o.features = true;
    } else if (name == "--verbose") {
      o.verbose = true;
    } else if (name == "--sweep") {
      o.sweep = true;
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

void tell(std::uint64_t seed, program const& p, std::string const& wrong) {
  std::cout << fmt::format("\nseed {}: {}\n", seed, wrong) << std::flush;  // shrinking takes long
  program const small = shrunk(p, [](program const& q) { return !verdict_of(q).wrong.empty(); });
  std::cout << "in short: " << verdict_of(small).wrong << "\n"
            << to_test(small, fmt::format("found by seed {}", seed)) << std::endl;
}

class progress {
 public:
  void show(std::string const& words) {
    auto const now = std::chrono::steady_clock::now();
    if (!terminal_ || now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    std::cerr << "\r" << words << std::flush;
  }
  void clear() const {
    if (terminal_) std::cerr << "\r\033[K";
  }

 private:
  bool terminal_ = ::isatty(2) != 0;
  std::chrono::steady_clock::time_point last_;
};

int explore_seeds(options const& o) {
  auto const began = std::chrono::steady_clock::now();
  auto const seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  features all;
  std::int64_t passed = 0, failed = 0;
  std::uint64_t traces = 0;  // hash of all traces, equal in every build
  progress bar;
  for (std::uint64_t seed = o.from; o.seconds ? seconds() < *o.seconds : seed <= o.to; ++seed) {
    program p = o.gpfs ? random_gpfs_program(seed, o.ranks) : random_program(seed, o.ranks);
    if (o.crash) p.crash_every = 1;
    bar.show(
        fmt::format("seed {}, {} passed, {} failed, {:.0f} s", seed, passed, failed, seconds()));
    if (o.verbose) std::cout << to_test(p, fmt::format("seed {}", seed)) << std::flush;
    verdict v = verdict_of(p);
    // A second run of some programs must give the same trace.
    if (v.wrong.empty() && seed % 16 == 0 && p.world.ranks <= 256 &&
        verdict_of(p).trace_hash != v.trace_hash)
      v.wrong = "another trace the second time";
    traces = mixed(traces, v.trace_hash);
    all.add(v.features);
    ++(v.wrong.empty() ? passed : failed);
    if (!v.wrong.empty()) {
      bar.clear();
      tell(seed, p, v.wrong);
    }
  }
  bar.clear();
  if (o.features) {
    std::cout << all.table(o.gpfs);
  } else {
    print("operations", all, feature::call);
    print("policies", all, feature::policy);
    print("faults", all, feature::fault);
    print("worlds", all, feature::world);
  }
  std::cout << fmt::format("{:<11} {:016x}\n", "traces", traces);
  std::cout << fmt::format("{} passed, {} failed ({:.1f} s)\n", passed, failed, seconds());
  return failed > 0;
}

int explore_sweep() {
  progress bar;
  sweep_result const r =
      sweep([&](std::int64_t cells) { bar.show(fmt::format("{} cells", cells)); });
  bar.clear();
  for (broken_cell const& c : r.broken)
    std::cout << fmt::format("\n{}: {}\n{}", c.name, c.wrong, to_test(c.what, c.name));
  std::cout << fmt::format("{} programs, {} file calls, {} cells, {} failed\n", r.programs, r.calls,
                           r.cells, r.broken.size());
  return !r.broken.empty();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::cout << usage;
    return 0;
  }
  options const o = parse(argc, argv);
  return o.sweep ? explore_sweep() : explore_seeds(o);
} catch (std::exception const& e) {
  std::cerr << "explore: " << e.what() << "\n" << usage;
  return 2;
}
