// A checkpoint: a small header and a 3-D array with halos, written by n ranks and read by m, with other tiles.
// Run: mpiexec -n 4 build/release/bin/checkpoint [write|read]      both if not said: all write, all but one read
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

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

struct header {
  std::int64_t extents[3];
  std::int64_t step;
  double time;
};
template <>
struct argosy::describe<header> : argosy::members<&header::extents, &header::step, &header::time> {};

namespace {

constexpr char const* path = "checkpoint.dat";
constexpr std::int64_t data_start = 4096;  // behind the header, at the start of a block
constexpr double in_halo = std::numeric_limits<double>::lowest();

// One rank's tile of the array: where it lies, and its memory with one layer of halo.
struct tile {
  tile(std::int64_t const (&sizes)[3], mpi::communicator const& world)
      : grid(world.size(), 3), in_file({sizes[0], sizes[1], sizes[2]}, io::distribute::block, grid, world.rank()) {
    auto const where = grid.coordinates(world.rank());
    for (std::size_t d = 0; d < 3; ++d) {  // as `block` deals, too
      std::int64_t const parts = grid.extents()[d], block = (sizes[d] + parts - 1) / parts;
      start[d] = std::min(where[d] * block, sizes[d]);
      size[d] = std::min(block, sizes[d] - start[d]);
    }
    u.resize(boost::extents[size[0] + 2][size[1] + 2][size[2] + 2]);
    std::fill_n(u.data(), u.num_elements(), in_halo);
  }

  // Calls f(cell, value that belongs there).
  template <class F>
  void for_each(F&& f) {
    for (std::int64_t i = 0; i < size[0]; ++i)
      for (std::int64_t j = 0; j < size[1]; ++j)
        for (std::int64_t k = 0; k < size[2]; ++k)
          f(u[i + 1][j + 1][k + 1],
            static_cast<double>(10000 * (start[0] + i) + 100 * (start[1] + j) + (start[2] + k)));
  }

  io::process_grid grid;
  io::darray<double, 3> in_file;
  std::array<std::int64_t, 3> start{}, size{};
  boost::multi_array<double, 3> u;
};

void tell(mpi::communicator const& world, char const* what, tile const& t, io::report const& r) {
  if (world.rank() == 0)
    fmt::print("{} by {} x {} x {} ranks\n  rank 0: {}\n", what, t.grid.extent(0), t.grid.extent(1), t.grid.extent(2),
               io::to_string(r));
}

void write(mpi::communicator const& world) {
  header const h{{30, 20, 11}, 1200, 0.75};
  tile t(h.extents, world);
  t.for_each([](double& cell, double value) { cell = value; });

  auto f = io::file::open(world, path, io::mode::create | io::mode::write);
  f.set_size(0);                                                              // nothing of an older checkpoint stays
  f.write_at_all(0, world.rank() == 0 ? io::memory(h) : io::const_buffer());  // bytes, until a view is set
  f.set_view(data_start, t.in_file);
  io::report const r = f.write_all(io::interior(t.u, {1, 1, 1}));
  f.sync();
  f.close();
  tell(world, "written", t, r);
}

void read(mpi::communicator const& world) {
  auto f = io::file::open(world, path, io::mode::read);
  header h{};
  if (f.read_at_all(0, h).bytes != io::memory(h).size()) throw std::runtime_error("the checkpoint has no header");
  tile t(h.extents, world);
  f.set_view(data_start, t.in_file);
  io::report const r = f.read_all(io::interior(t.u, {1, 1, 1}));
  f.close();
  tell(world, "read", t, r);

  std::int64_t wrong = h.step != 1200 || h.time != 0.75 ? 1 : 0;
  t.for_each([&](double const& cell, double value) { wrong += cell != value ? 1 : 0; });
  auto const halo = static_cast<std::int64_t>(std::count(t.u.data(), t.u.data() + t.u.num_elements(), in_halo));
  if (wrong != 0 || halo != static_cast<std::int64_t>(t.u.num_elements()) - t.size[0] * t.size[1] * t.size[2])
    throw std::runtime_error(fmt::format("rank {}: {} values are wrong, or the halo is", world.rank(), wrong));
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
    return 1;  // an error of a call is thrown on every rank, so nobody is left waiting
  }
}
