// Kills ranks of programs at random moments, and looks at what is left:
//   test_kills [--count N] [--seed S] [--look COMMAND] [NAME...]
//                                                    default: 10 kills of each program
// COMMAND is run after each kill with NAME, the directory and the last round, and must succeed.
// A kill is SIGKILL to one rank of three, or to all of them at once. Afterwards the files must be
// whole or as before, no shared memory may be left, and the next open must succeed. Ends with a
// table.
// SPDX-License-Identifier: BSD-3-Clause
#include "victims.hpp"

#include <argosy/error/error.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../support/files.hpp"

namespace argosy::kills {

using namespace extend;

namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

constexpr int ranks_of_job = 3;
constexpr auto longest_start = std::chrono::seconds(60);
constexpr auto longest_cycle = std::chrono::milliseconds(120);

double seconds_since(clock::time_point begun) {
  return std::chrono::duration<double>(clock::now() - begun).count();
}

// --- A rank --------------------------------------------------------------------------------------

// Writes a small file as a whole, or not at all.
void note(std::string const& path, int number) {
  std::ofstream(path + ".new") << number << "\n";
  fs::rename(path + ".new", path);
}

std::optional<int> noted(std::string const& path) {
  std::ifstream in(path);
  int number = 0;
  if (in >> number) return number;
  return {};
}

std::string pid_of(std::string const& directory, int rank) {
  return directory + "/pid." + std::to_string(rank);
}

// Goes through the calls of the program until it is killed.
int run_rank(victim const& v, std::string const& directory, int first) {
  MPI_Init(nullptr, nullptr);
  {
    mpi const world(MPI_COMM_WORLD);
    for (int round = first;; ++round) {
      if (world.rank() == 0) note(directory + "/round", round);
      world.barrier();
      v.work(world, directory, round);
      if (round == first) note(pid_of(directory, world.rank()), ::getpid());
    }
  }
}

// --- The job -------------------------------------------------------------------------------------

pid_t start(std::string const& program, victim const& v, std::string const& directory, int first) {
  std::string const command = std::string("exec ") + ARGOSY_TEST_MPIEXEC " " +
                              std::to_string(ranks_of_job) + " " + program + " --rank " + v.name +
                              " " + directory + " " + std::to_string(first) + " >/dev/null 2>" +
                              directory + "/words";
  pid_t const child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    std::_Exit(127);
  }
  return child;
}

std::vector<pid_t> wait_for_ranks(std::string const& directory, pid_t job) {
  std::vector<pid_t> all;
  auto const begun = clock::now();
  while (all.size() < ranks_of_job) {
    if (::waitpid(job, nullptr, WNOHANG) != 0 || clock::now() - begun > longest_start)
      throw std::runtime_error("the job has not begun; it says in " + directory + "/words why");
    if (auto const pid = noted(pid_of(directory, static_cast<int>(all.size()))))
      all.push_back(*pid);
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return all;
}

// The launcher ends the other ranks of a job that has lost one.
void wait_for_end(pid_t job, std::vector<pid_t> const& all) {
  auto const begun = clock::now();
  while (::waitpid(job, nullptr, WNOHANG) == 0) {
    if (clock::now() - begun > longest_start) throw std::runtime_error("the job does not end");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (pid_t const rank : all)
    while (::kill(rank, 0) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// --- What is left --------------------------------------------------------------------------------

// Returns the shared memory that these ranks have made: names of files, and segments of System V.
std::vector<std::string> shared_memory_of(std::vector<pid_t> const& all) {
  auto const made_here = [&](long pid) { return std::ranges::find(all, pid) != all.end(); };
  std::vector<std::string> found;
  for (auto const& one : fs::directory_iterator("/dev/shm")) {
    long pid = 0;
    if (std::sscanf(one.path().filename().c_str(), "argosy.%ld.", &pid) == 1 && made_here(pid))
      found.push_back(one.path());
  }
  std::ifstream in("/proc/sysvipc/shm");
  std::string line;
  std::getline(in, line);  // the titles
  long key = 0, number = 0, size = 0, pid = 0;
  unsigned long permissions = 0;
  while (std::getline(in, line))
    if (std::sscanf(line.c_str(), "%ld %ld %lo %ld %ld", &key, &number, &permissions, &size,
                    &pid) == 5 &&
        made_here(pid))
      found.push_back("the segment " + std::to_string(number) + " of System V");
  return found;
}

struct tally {
  int kills = 0, faults = 0, left = 0;
  double slowest = 0;  // seconds to check the files, including the next open
};

// Runs a command of the user, which looks at the files, too.
std::string fault_seen_by(std::string const& look, victim const& v, std::string const& directory,
                          int last) {
  std::string const command = look + " " + v.name + " " + directory + " " + std::to_string(last);
  return std::system(command.c_str()) == 0 ? "" : "failed: " + command;
}

void kill_once(std::string const& program, victim const& v, std::string const& directory,
               std::string const& look, std::mt19937_64& random, tally& t) {
  for (int rank = 0; rank < ranks_of_job; ++rank) fs::remove(pid_of(directory, rank));
  int const first = noted(directory + "/round").value_or(0) + 1;
  pid_t const job = start(program, v, directory, first);
  std::vector<pid_t> const all = wait_for_ranks(directory, job);
  std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution<std::int64_t>(
      0, std::chrono::microseconds(longest_cycle).count())(random)));
  auto const which = std::uniform_int_distribution<std::size_t>(0, ranks_of_job)(random);
  for (std::size_t rank = 0; rank < ranks_of_job; ++rank)
    if (which == ranks_of_job || which == rank) ::kill(all[rank], SIGKILL);
  wait_for_end(job, all);
  ++t.kills;

  std::vector<std::string> const left = shared_memory_of(all);
  for (std::string const& one : left)
    std::printf("%s, kill %d: %s is left\n", v.name.c_str(), t.kills, one.c_str());
  t.left += left.empty() ? 0 : 1;

  auto const begun = clock::now();
  std::string fault;
  try {
    int const last = noted(directory + "/round").value_or(0);
    fault = v.fault_of(directory, last);
    if (fault.empty() && !look.empty()) fault = fault_seen_by(look, v, directory, last);
  } catch (std::exception const& e) {
    fault = e.what();
  }
  t.slowest = std::max(t.slowest, seconds_since(begun));
  if (!fault.empty()) std::printf("%s, kill %d: %s\n", v.name.c_str(), t.kills, fault.c_str());
  t.faults += fault.empty() ? 0 : 1;
}

struct options {
  int count = 10;
  std::uint64_t seed = 1;
  std::string look;
  std::vector<std::string> names;
};

tally kill_often(std::string const& program, victim const& v, options const& o) {
  test::scratch const here(test::in_memory());
  std::mt19937_64 random(o.seed);
  tally t;
  v.prepare(here.string());
  while (t.kills < o.count) kill_once(program, v, here.string(), o.look, random, t);
  return t;
}

// --- The command line ----------------------------------------------------------------------------

options options_of(std::vector<std::string> const& words) {
  options o;
  for (std::size_t i = 0; i < words.size(); ++i) {
    bool const has_value = i + 1 < words.size();
    if (words[i] == "--count" && has_value)
      o.count = std::stoi(words[++i]);
    else if (words[i] == "--seed" && has_value)
      o.seed = std::stoull(words[++i]);
    else if (words[i] == "--look" && has_value)
      o.look = words[++i];
    else
      o.names.push_back(words[i]);
  }
  for (std::string const& name : o.names)
    if (std::ranges::none_of(victims(), [&](victim const& v) { return v.name == name; }))
      throw std::invalid_argument("there is no program " + name);
  return o;
}

int run(std::string const& program, std::vector<std::string> const& words) {
  if (words.size() == 4 && words[0] == "--rank")
    for (victim const& v : victims())
      if (v.name == words[1]) return run_rank(v, words[2], std::stoi(words[3]));
  options const o = options_of(words);
  int passed = 0, failed = 0;
  std::string table =
      "program      kills  files lost or wrong  memory left  slowest look (s)  calls\n";
  for (victim const& v : victims()) {
    if (!o.names.empty() && std::ranges::find(o.names, v.name) == o.names.end()) continue;
    tally const t = kill_often(program, v, o);
    char line[200];
    std::snprintf(line, sizeof line, "%-11s %6d %20d %12d %17.3f  %s\n", v.name.c_str(), t.kills,
                  t.faults, t.left, t.slowest, v.what.c_str());
    table += line;
    ++(t.faults + t.left == 0 ? passed : failed);
  }
  std::printf("%s%d passed, %d failed\n", table.c_str(), passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

}  // namespace argosy::kills

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    return argosy::kills::run(argv[0], {argv + 1, argv + argc});
  } catch (std::exception const& e) {
    std::fprintf(stderr, "test_kills: %s\n", e.what());
    return 2;
  }
}
