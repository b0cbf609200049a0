// A checkpoint: numbers and a 3-D array with halos, written by n ranks and read by m ranks, with
// other tiles. After a crash the file is the old checkpoint or the new one, never half of one.
// Run: mpiexec -n 4 build/release/bin/checkpoint [write|read]
//      without an argument: all ranks write, all but one read
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/checkpoint.hpp>

#include <fmt/core.h>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/multi_array.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace io = argosy;
namespace mpi = boost::mpi;

namespace {

constexpr char const* path = "checkpoint.dat";
constexpr double in_halo = std::numeric_limits<double>::lowest();

// One rank's part of a program: its time, and its tile of the array in a halo of one layer.
struct simulation {
  simulation(std::array<std::int64_t, 3> const& sizes, mpi::communicator const& world)
      : grid(world.size(), 3),
        tile({sizes[0], sizes[1], sizes[2]}, io::distribute::block, grid, world.rank()) {
    auto const where = grid.coordinates(world.rank());
    for (std::size_t d = 0; d < 3; ++d) {  // deals the array as `block` does
      std::int64_t const parts = grid.extents()[d], block = (sizes[d] + parts - 1) / parts;
      start[d] = std::min(where[d] * block, sizes[d]);
      size[d] = std::min(block, sizes[d] - start[d]);
    }
    u.resize(boost::extents[size[0] + 2][size[1] + 2][size[2] + 2]);
    std::fill_n(u.data(), u.num_elements(), in_halo);
  }

  // The contents of a checkpoint, for saving and for loading.
  io::checkpoint state() {
    io::checkpoint all;
    all.add_value("step", step).add_value("time", time).add("u", tile, io::interior(u, {1, 1, 1}));
    return all;
  }

  // Calls f(cell, its value) for each cell.
  template <class F>
  void for_each(F&& f) {
    for (std::int64_t i = 0; i < size[0]; ++i)
      for (std::int64_t j = 0; j < size[1]; ++j)
        for (std::int64_t k = 0; k < size[2]; ++k)
          f(u[i + 1][j + 1][k + 1],
            static_cast<double>(10000 * (start[0] + i) + 100 * (start[1] + j) + (start[2] + k)));
  }

  io::process_grid grid;
  io::darray<double, 3> tile;
  std::array<std::int64_t, 3> start{}, size{};
  std::int64_t step = 0;
  double time = 0;
  boost::multi_array<double, 3> u;
};

void write(mpi::communicator const& world) {
  simulation s({30, 20, 11}, world);
  s.step = 1200;
  s.time = 0.75;
  s.for_each([](double& cell, double value) { cell = value; });
  s.state().save(world, path);
}

void read(mpi::communicator const& world) {
  io::checkpoint_header const h = io::checkpoint::header_of(world, path);
  auto const& shape = h.find("u")->shape;  // for a program that does not know the shape
  simulation s({shape[0], shape[1], shape[2]}, world);
  s.state().load(world, path);

  std::int64_t wrong = s.step != 1200 || s.time != 0.75 ? 1 : 0;
  s.for_each([&](double const& cell, double value) { wrong += cell != value ? 1 : 0; });
  auto const halo =
      static_cast<std::int64_t>(std::count(s.u.data(), s.u.data() + s.u.num_elements(), in_halo));
  if (wrong != 0 ||
      halo != static_cast<std::int64_t>(s.u.num_elements()) - s.size[0] * s.size[1] * s.size[2])
    throw std::runtime_error(
        fmt::format("rank {}: {} values are wrong, or the halo is", world.rank(), wrong));
  if (world.rank() == 0)
    fmt::print("read by {} ranks: step {}, time {}\n", world.size(), s.step, s.time);
}

}  // namespace

int main(int argc, char** argv) {
  mpi::environment const environment(argc, argv);
  mpi::communicator const world;
  std::string const what = argc > 1 ? argv[1] : "both";
  try {
    if (what != "read") write(world);
    if (what == "write") return 0;
    bool const reads = what == "read" || world.size() == 1 || world.rank() != 0;
    mpi::communicator const readers = world.split(reads ? 1 : 0);
    if (reads) read(readers);
  } catch (std::exception const& e) {
    fmt::print(stderr, "checkpoint: {}\n", e.what());
    return 1;  // every rank gets the exception, so no rank is left waiting
  }
}
