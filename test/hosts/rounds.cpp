// A program for tests in which a host, server or mount dies, a link is cut, or a disk is full in
// the middle of its collective calls; and the check of the file afterwards. NOTES is a file that
// outlives all of that; without it, FILE.
//   rounds write FILE                  goes on until it is ended; NOTES.done counts the rounds that
//                                      every rank knows to be on disk
//   rounds endure FILE NOTES COUNT     makes COUNT rounds, and repeats one that fails with the file
//                                      opened anew: all ranks must get the error, or none
//   rounds fill FILE NOTES             writes until the file system is full: synced data must be
//                                      there, and all ranks must get the error
//   rounds check FILE [NOTES]          every byte of these rounds must be there, and no byte that
//                                      no rank wrote may have changed
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <argosy/argosy.hpp>

namespace io = argosy;

namespace {

// A round has `blocks` cycles. Each cycle has a block of every rank, and behind them one that no
// rank writes.
constexpr std::int64_t block = 96, blocks = 500;
constexpr std::uint8_t nobodys = 0xee;

std::int64_t round_bytes(int ranks) { return block * blocks * (ranks + 1); }
std::uint8_t value(std::int64_t round, int rank, std::int64_t byte) {
  return static_cast<std::uint8_t>(1 + (round * 7 + rank * 13 + byte) % 200);
}

void note(std::string const& path, std::int64_t number) {
  std::ofstream(path + ".next") << number;
  std::filesystem::rename(path + ".next", path);
}

void prepare(io::mpi const& world, std::string const& path, std::string const& notes,
             std::int64_t rounds) {
  if (world.rank() == 0) {
    std::vector<char> const empty(static_cast<std::size_t>(round_bytes(world.size())),
                                  static_cast<char>(nobodys));
    std::ofstream file(path, std::ios::binary);
    for (std::int64_t r = 0; r < rounds; ++r)
      file.write(empty.data(), static_cast<std::streamsize>(empty.size()));
    std::ofstream(notes + ".ranks") << world.size() << ' ' << rounds;
  }
  world.barrier();
}

std::vector<std::uint8_t> data_of(std::int64_t round, int rank) {
  std::vector<std::uint8_t> data(static_cast<std::size_t>(block * blocks));
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = value(round, rank, static_cast<std::int64_t>(i));
  return data;
}

auto filetype_of(io::mpi const& world) {
  return io::resized(io::contiguous(block, io::type<std::uint8_t>), 0, block * (world.size() + 1));
}

void write(io::mpi const& world, std::string const& path) {
  prepare(world, path, path, 400);
  auto f = io::file::open(world, path, io::mode::read_write);
  f.set_view(block * world.rank(), filetype_of(world));
  for (std::int64_t r = 0; r < 400; ++r) {
    std::vector<std::uint8_t> const mine = data_of(r, world.rank());
    f.write_all(mine, io::two_phase{});
    f.sync();
    if (world.rank() == 0) note(path + ".done", r + 1);
  }
  f.close();
}

// Returns `mine` if it is equal on all ranks; otherwise ends the job. Uses MPI, not the file.
bool all_say(bool mine) {
  int one = mine, sum = 0, ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != 0 && sum != ranks) {
    std::fprintf(stderr, "rounds: %d of %d ranks were told of an error, and the others were not\n",
                 sum, ranks);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return sum == ranks;
}

int endure(io::mpi const& world, std::string const& path, std::string const& notes,
           std::int64_t rounds) {
  using namespace std::chrono;
  prepare(world, path, notes, rounds);
  std::error_code error;
  io::file f;
  std::int64_t failed = 0;
  std::string first;
  auto const begin = steady_clock::now();
  for (std::int64_t r = 0; r < rounds;) {
    error.clear();
    if (!f.is_open()) {
      f = io::file::open(world, path, io::mode::read_write, error);
      if (!all_say(static_cast<bool>(error))) f.set_view(block * world.rank(), filetype_of(world));
    }
    if (!error) {
      std::vector<std::uint8_t> const mine = data_of(r, world.rank());
      f.write_at_all(r * block * blocks, mine, {io::two_phase{}, error});
      if (!all_say(static_cast<bool>(error))) f.sync(error);
    }
    if (!all_say(static_cast<bool>(error))) {
      ++r;
      if (world.rank() == 0) note(notes + ".done", r);
      std::this_thread::sleep_for(milliseconds(20));
      continue;
    }
    ++failed;
    if (first.empty() && world.rank() == 0)
      first = f.what_failed().empty() ? error.message() : f.what_failed();
    std::error_code ignored;
    if (f.is_open()) f.close(ignored);
    f = {};
    std::this_thread::sleep_for(milliseconds(200));
    // The clock of rank 0 decides for all.
    std::int64_t left = steady_clock::now() - begin < minutes(3) ? 1 : 0;
    world.broadcast(std::as_writable_bytes(std::span(&left, 1)), 0);
    if (left == 0) break;
  }
  if (f.is_open()) f.close(error);
  if (world.rank() == 0)
    std::printf("%lld rounds failed on all ranks, and were done again%s%s\n",
                static_cast<long long>(failed),
                first.empty() ? "" : "; the first: ", first.c_str());
  return f.is_open() ? 1 : 0;
}

int fill(io::mpi const& world, std::string const& path, std::string const& notes) {
  constexpr std::int64_t step = 1 << 20, most = 4096;
  auto f = io::file::open(world, path, io::mode::create | io::mode::read_write);
  std::error_code error;
  std::vector<std::uint8_t> mine(step), got(step);
  std::int64_t done = 0;
  int wrong = 0;
  for (; done < most; ++done) {
    std::fill(mine.begin(), mine.end(), value(done, world.rank(), 0));
    f.write_at_all((done * world.size() + world.rank()) * step, mine, error);
    if (!all_say(static_cast<bool>(error))) f.sync(error);
    if (all_say(static_cast<bool>(error))) break;
  }
  std::string const told = f.what_failed();
  if (!error) wrong = 1;
  // Data that was synced must be there.
  for (std::int64_t r = 0; r < done; ++r) {
    std::int64_t const of = (world.rank() + 1) % world.size();
    std::error_code read;
    f.read_at((r * world.size() + of) * step, got, read);
    std::uint8_t const wanted = value(r, static_cast<int>(of), 0);
    if (read || !std::all_of(got.begin(), got.end(), [=](std::uint8_t b) { return b == wanted; }))
      wrong = 1;
  }
  f.close(error);
  world.barrier();
  if (world.rank() == 0) {
    std::filesystem::remove(path);
    std::printf("full after %lld MiB: %s\n", static_cast<long long>(done * world.size()),
                told.c_str());
    note(notes + ".done", done);
  }
  world.barrier();
  return wrong;
}

int check(std::string const& path, std::string const& notes) {
  int ranks = 0;
  std::int64_t done = 0, rounds = 0;
  std::ifstream(notes + ".ranks") >> ranks >> rounds;
  std::ifstream(notes + ".done") >> done;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(static_cast<std::size_t>(round_bytes(ranks)));
  std::int64_t lost = 0, foreign = 0;
  for (std::int64_t r = 0;
       r < rounds && file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())); ++r) {
    for (std::int64_t at = 0; at < round_bytes(ranks); ++at) {
      auto const seen = static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(at)]);
      std::int64_t const cycle = at / (block * (ranks + 1)), within = at % (block * (ranks + 1));
      int const rank = static_cast<int>(within / block);
      if (rank == ranks)
        foreign += seen != nobodys;
      else if (std::uint8_t const wanted = value(r, rank, cycle * block + within % block); r < done)
        lost += seen != wanted;
      else
        foreign += seen != wanted && seen != nobodys;
    }
  }
  std::printf(
      "%lld rounds of %d ranks were done: %lld bytes lost, %lld changed that nobody wrote\n",
      static_cast<long long>(done), ranks, static_cast<long long>(lost),
      static_cast<long long>(foreign));
  return done > 0 && lost == 0 && foreign == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string const what = argc > 1 ? argv[1] : "", path = argc > 2 ? argv[2] : "",
                    notes = argc > 3 ? argv[3] : path;
  if (what == "check" && (argc == 3 || argc == 4)) return check(path, notes);
  bool const known = (what == "write" && argc == 3) || (what == "endure" && argc == 5) ||
                     (what == "fill" && argc == 4);
  if (!known) {
    std::fprintf(stderr,
                 "usage: rounds write FILE | endure FILE NOTES COUNT | fill FILE NOTES | check "
                 "FILE [NOTES]\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  int result = 0;
  {
    io::mpi const world(MPI_COMM_WORLD);
    if (what == "write") write(world, path);
    if (what == "endure") result = endure(world, path, notes, std::atoll(argv[4]));
    if (what == "fill") result = fill(world, path, notes);
  }
  MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return result;
}
