// One program on an ordinary file system and on a simulated GPFS: all ranks write small records
// into the same blocks, first each rank by itself, then by agents. Counts the tokens that move
// between nodes, and draws them.
// Run: mpiexec -n 4 build/release/bin/shared_blocks [directory for the file and the pictures]
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/traffic.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include <fmt/core.h>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/mpi/timer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace io = argosy;

namespace {

constexpr std::int64_t record = 4096, steps = 50;

// In each step, record k belongs to rank k. Each record is written by one call.
template <class World>
void write_records(World const& world, std::string const& path, io::opener files,
                   io::hints const& h) {
  auto f = io::basic_file<World>::open(world, path, io::mode::create | io::mode::read_write, h,
                                       std::move(files));
  f.set_view(record * world.rank(),
             {io::type<std::byte>, io::resized(io::bytes(record), 0, record * world.size())});
  std::vector<std::byte> mine(record);
  for (std::int64_t k = 0; k < steps; ++k) {
    std::fill(mine.begin(), mine.end(), static_cast<std::byte>(world.rank() + k));
    f.write_at(k * record, mine);
  }
  f.close();
}

std::vector<std::byte> expected(int ranks) {
  std::vector<std::byte> all;
  for (std::int64_t k = 0; k < steps; ++k)
    for (int r = 0; r < ranks; ++r) all.insert(all.end(), record, static_cast<std::byte>(r + k));
  return all;
}
void require(bool same, std::string const& where) {
  if (!same)
    throw std::runtime_error("the file on " + where + " has other bytes than were written");
}

struct way {
  std::string name;
  io::hints hints;
};
std::vector<way> ways() {
  return {{"each rank by itself", {}},
          {"agents (data_shipping)", {.largeblock_io = io::largeblock::off}}};
}

void on_posix(boost::mpi::communicator const& world, std::filesystem::path const& path) {
  for (way const& w : ways()) {
    if (world.rank() == 0) std::filesystem::remove(path);
    world.barrier();
    boost::mpi::timer const watch;
    write_records(io::mpi(world), path.string(), io::posix_opener(), w.hints);
    world.barrier();
    double const seconds = watch.elapsed();
    if (world.rank() != 0) continue;
    fmt::print("  {:<8} {:<24} {:>10.1f} {:>9} {:>9} {:>9}\n", "posix", w.name, 1e3 * seconds, "",
               "", "");
    std::vector<std::byte> const hoped = expected(world.size());
    std::vector<char> found(hoped.size());
    std::ifstream(path, std::ios::binary)
        .read(found.data(), static_cast<std::streamsize>(found.size()));
    require(std::equal(hoped.begin(), hoped.end(), found.begin(),
                       [](std::byte a, char b) { return a == static_cast<std::byte>(b); }),
            "posix");
  }
}

void on_gpfs(int ranks, std::filesystem::path const& directory) {
  struct run {
    std::unique_ptr<io::lab::virtual_gpfs> files;
    std::unique_ptr<io::lab::gpfs::traffic> seen;
    std::string name;
  };
  std::vector<run> runs;
  double longest = 0;
  for (way const& w : ways()) {
    auto files = std::make_unique<io::lab::virtual_gpfs>(
        io::lab::gpfs::machine{.block_bytes = 256 << 10}, ranks);
    auto seen = std::make_unique<io::lab::gpfs::traffic>(files->system());
    auto const done = io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 1})
                          .run([&](io::lab::virtual_rank const& world) {
                            write_records(world, "records", files->opener(), w.hints);
                          });
    fmt::print("  {:<8} {:<24} {:>10.1f} {:>9} {:>9} {:>9}\n", "gpfs", w.name, 1e3 * done.seconds,
               seen->count(io::lab::gpfs::traffic::kind::grant),
               seen->count(io::lab::gpfs::traffic::kind::revocation),
               files->counters().revoke_flushes);
    require(files->content("records") == expected(ranks), "gpfs");
    longest = std::max(longest, seen->seconds());
    runs.push_back({std::move(files), std::move(seen), w.name});
  }
  fmt::print("\n");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::filesystem::path const picture =
        directory / (i == 0 ? "tokens_alone.svg" : "tokens_agents.svg");
    std::ofstream(picture) << runs[i].seen->draw("Tokens between nodes: " + runs[i].name, longest);
    fmt::print("  {}\n", picture.string());
  }
}

}  // namespace

int main(int argc, char** argv) {
  boost::mpi::environment const environment(argc, argv);
  boost::mpi::communicator const world;
  std::filesystem::path const directory = argc > 1 ? argv[1] : ".";
  try {
    if (world.rank() == 0) {
      std::filesystem::create_directories(directory);
      fmt::print("{} ranks write {} records of {} bytes each, turn by turn\n\n", world.size(),
                 steps, record);
      fmt::print("  {:<8} {:<24} {:>10} {:>9} {:>9} {:>9}\n", "file", "", "ms", "tokens", "taken",
                 "flushed");
    }
    world.barrier();
    on_posix(world, directory / "records.dat");
    if (world.rank() == 0) {
      on_gpfs(world.size(), directory);
      fmt::print(
          "\n  Milliseconds on gpfs are virtual: of a model, to be compared with each other "
          "only.\n");
    }
  } catch (std::exception const& e) {
    fmt::print(stderr, "shared_blocks: {}\n", e.what());
    environment.abort(1);  // other ranks may not have failed
  }
}
