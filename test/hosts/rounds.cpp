// A program whose host dies, or whose link is cut, in the middle of its collective calls, and the check of what it left.
//   rounds write FILE     goes on until it is ended; FILE.done counts the rounds that every rank knows to be on disk
//   rounds check FILE     every byte of these rounds is there, and no byte that nobody asked to write has changed
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/argosy.hpp>

namespace io = argosy;

namespace {

// A round is `blocks` cycles; in each cycle a block of every rank, and behind them one that belongs to nobody.
constexpr std::int64_t block = 96, blocks = 500, rounds = 400;
constexpr std::uint8_t nobodys = 0xee;

std::int64_t round_bytes(int ranks) { return block * blocks * (ranks + 1); }
std::uint8_t value(std::int64_t round, int rank, std::int64_t byte) {
  return static_cast<std::uint8_t>(1 + (round * 7 + rank * 13 + byte) % 200);
}

void write(io::mpi const& world, std::string const& path) {
  if (world.rank() == 0) {
    std::vector<char> const empty(static_cast<std::size_t>(round_bytes(world.size())), static_cast<char>(nobodys));
    std::ofstream file(path, std::ios::binary);
    for (std::int64_t r = 0; r < rounds; ++r) file.write(empty.data(), static_cast<std::streamsize>(empty.size()));
    std::ofstream(path + ".ranks") << world.size();
  }
  world.barrier();
  auto f = io::file::open(world, path, io::mode::read_write);
  auto const mine = io::resized(io::contiguous(block, io::type<std::uint8_t>), 0, block * (world.size() + 1));
  f.set_view(block * world.rank(), mine);
  std::vector<std::uint8_t> data(static_cast<std::size_t>(block * blocks));
  for (std::int64_t r = 0; r < rounds; ++r) {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = value(r, world.rank(), static_cast<std::int64_t>(i));
    f.write_all(data, io::two_phase{});
    f.sync();
    if (world.rank() == 0) {
      std::ofstream(path + ".next") << r + 1;
      std::filesystem::rename(path + ".next", path + ".done");
    }
  }
  f.close();
}

int check(std::string const& path) {
  int ranks = 0;
  std::int64_t done = 0;
  std::ifstream(path + ".ranks") >> ranks;
  std::ifstream(path + ".done") >> done;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(static_cast<std::size_t>(round_bytes(ranks)));
  std::int64_t lost = 0, foreign = 0;
  for (std::int64_t r = 0; r < rounds && file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())); ++r) {
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
  std::printf("%lld rounds of %d ranks were done: %lld bytes lost, %lld changed that nobody wrote\n",
              static_cast<long long>(done), ranks, static_cast<long long>(lost), static_cast<long long>(foreign));
  return done > 0 && lost == 0 && foreign == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view const what = argc > 1 ? argv[1] : "";
  if (argc != 3 || (what != "write" && what != "check")) {
    std::fprintf(stderr, "usage: rounds write|check FILE\n");
    return 2;
  }
  if (what == "check") return check(argv[2]);
  MPI_Init(&argc, &argv);
  write(io::mpi(MPI_COMM_WORLD), argv[2]);
  MPI_Finalize();
  return 0;
}
