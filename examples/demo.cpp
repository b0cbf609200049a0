// A tour of argosy on data you can see. It describes data, flattens it and draws which rank owns
// which part. It writes a distributed matrix into one file, reads it back, and prints the plan and
// the report. It compares the four levels of access.
// Run: cmake/demo.sh, or
//      mpiexec -n 4 build/release/bin/demo [directory for the pictures and the file]
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/layout.hpp>
#include <argosy/layout/draw.hpp>
#include <argosy/layout/draw_owners.hpp>
#include <argosy/layout/fmt.hpp>
#include <argosy/layout/serialize.hpp>
#include <argosy/version.hpp>

#include <fmt/core.h>
#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/mpi/timer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace io = argosy;

struct particle {
  double x[3];
  float charge;
  std::int16_t kind;
  std::int32_t id;
};
io::members<&particle::x, &particle::id> describe(particle const&);

namespace {

struct specimen {
  std::string what;
  io::layout form;
};

// Two of the five members of a thousand particles.
io::layout some_members() { return io::contiguous(1000, io::type<particle>).form(); }

// A block of 62 x 62 x 62 doubles with one layer of halo around it.
io::layout interior_of_a_block() {
  return io::subarray({64, 64, 64}, {62, 62, 62}, {1, 1, 1}, io::type<double>).form();
}

// Returns each rank's part of a matrix that is dealt out in tiles of 4 x 8, as in ScaLAPACK.
constexpr std::array<std::int64_t, 2> matrix_size{32, 64};
std::vector<io::layout> block_cyclic_matrix(int ranks) {
  using namespace io::distribute;
  io::process_grid const grid(ranks, 2);
  std::vector<io::layout> owners;
  for (int rank = 0; rank < ranks; ++rank)
    owners.push_back(io::darray<double, 2>(matrix_size, {cyclic(4), cyclic(8)}, grid, rank).form());
  return owners;
}

// Returns each rank's part of a cube that is dealt out in blocks.
constexpr std::array<std::int64_t, 3> cube_size{6, 24, 24};
std::vector<io::layout> blocks_of_a_cube(int ranks) {
  io::process_grid const grid(ranks, 3);
  std::vector<io::layout> owners;
  for (int rank = 0; rank < ranks; ++rank)
    owners.push_back(io::darray<double, 3>(cube_size, io::distribute::block, grid, rank).form());
  return owners;
}

void print_forms(std::vector<specimen> const& all) {
  fmt::print("Layouts and their normal forms\n\n");
  for (specimen const& s : all) fmt::print("  {}\n    {}\n", s.what, s.form);
}

void print_numbers(std::vector<specimen> const& all) {
  fmt::print("\n  {:<34} {:>14} {:>16} {:>14} {:>9} {:>11}\n", "", "bytes", "extent", "pieces",
             "density", "serialised");
  for (specimen const& s : all)
    fmt::print("  {:<34} {:>14} {:>16} {:>14} {:>7.1f} % {:>8} B\n", s.what, s.form.size(),
               s.form.extent(), s.form.pieces(), 100 * s.form.density(),
               io::serialize(s.form).size());
}

void save(std::filesystem::path const& file, std::string const& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
  fmt::print("  {}\n", file.string());
}

void draw_all(std::filesystem::path const& directory) {
  fmt::print("\nPictures\n\n");
  std::filesystem::create_directories(directory);
  save(directory / "particles.svg",
       io::draw(io::contiguous(6, io::type<particle>).form(),
                {.title = "x and id of six particles", .row_bytes = sizeof(particle)}));
  save(directory / "interior.svg",
       io::draw(io::subarray({8, 8, 8}, {6, 6, 6}, {1, 1, 1}, io::type<double>).form(),
                {.title = "6 x 6 x 6 doubles inside their halo", .row_bytes = 8 * 8 * 8}));
  save(directory / "matrix_owners.svg",
       io::draw_owners(block_cyclic_matrix(6), matrix_size, sizeof(double),
                       {.title = "A 32 x 64 matrix in tiles of 4 x 8 on a 3 x 2 grid of ranks"}));
  save(directory / "cube_owners.svg",
       io::draw_owners(blocks_of_a_cube(12), cube_size, sizeof(double),
                       {.title = "A 6 x 24 x 24 cube in blocks on 12 ranks"}));
}

// Each rank writes its tiles of the matrix, and reads them back. The plans are printed before any
// data is moved.
void write_and_read(boost::mpi::communicator const& world, std::string const& path) {
  using namespace io::distribute;
  auto const tell = [&](std::string const& text) {
    if (world.rank() == 0) fmt::print("{}", text);
  };
  io::darray<double, 2> const tiles(matrix_size, {cyclic(4), cyclic(8)},
                                    io::process_grid(world.size(), 2), world.rank());
  std::vector<double> mine(static_cast<std::size_t>(tiles.form().size()) / sizeof(double));
  std::iota(mine.begin(), mine.end(), 1000.0 * world.rank());

  tell(fmt::format("\nA file: the matrix, block-cyclic on {} ranks. Rank 0 plans and reports\n\n",
                   world.size()));
  auto f = io::file::open(world, path, io::mode::create | io::mode::read_write);
  f.set_view(0, tiles);
  tell(io::to_string(f.explain(io::access_kind::write, mine)));
  tell(io::to_string(f.write_all(mine)) + "\n\n");

  f.seek(0);
  std::vector<double> back(mine.size());
  tell(io::to_string(f.explain(io::access_kind::read, back)));
  tell(io::to_string(f.read_all(back)) + "\n");
  f.close();
  if (back != mine)
    throw std::runtime_error("rank " + std::to_string(world.rank()) + " read something else");
}

// Writes the same bytes in the four ways that MPI programs use: one call for each piece or for all
// pieces, local or collective.
void four_levels(boost::mpi::communicator const& world, std::string const& path) {
  using namespace io::distribute;
  io::process_grid const grid(world.size(), 2);
  // Side of the matrix: about 1536, with equally many tiles of 64 x 64 on every rank, so all ranks
  // make the same number of calls.
  auto const whole = [](int ranks) { return 64 * ranks * std::max(1, 24 / ranks); };
  io::darray<double, 2> const tiles({whole(grid.extent(0)), whole(grid.extent(1))},
                                    {cyclic(64), cyclic(64)}, grid, world.rank());
  io::layout const pieces = tiles.form();
  std::vector<double> mine(static_cast<std::size_t>(pieces.size()) / sizeof(double)),
      back(mine.size());
  auto const say = [&](std::string const& text) {
    if (world.rank() == 0) fmt::print("{}", text);
  };
  auto const total = [&](std::int64_t value) {
    return boost::mpi::all_reduce(world, value, std::plus<>());
  };

  say(fmt::format("\nFour levels: {} MiB in {} pieces of {} bytes, on {} ranks\n\n",
                  total(pieces.size()) >> 20, total(pieces.pieces()),
                  pieces.size() / pieces.pieces(), world.size()));
  say(fmt::format("  {:<7} {:<32} {:>10} {:>12} {:>10} {:>8}\n", "level", "each rank calls",
                  "calls", "file calls", "ms", "MB/s"));
  auto f = io::file::open(world, path, io::mode::create | io::mode::read_write);
  for (int level = 0; level < 4; ++level) {
    bool const one_call = level >= 2, together = level % 2 == 1;
    std::iota(mine.begin(), mine.end(), 1e6 * world.rank() + 1e8 * level);
    f.set_size(0);
    if (one_call)
      f.set_view(0, tiles);
    else
      f.set_view(0, io::type<double>);
    std::int64_t calls = 0, file_calls = 0;
    auto const count = [&](io::report const& r) {
      ++calls;
      file_calls += r.read_calls + r.write_calls;
    };
    world.barrier();
    boost::mpi::timer const watch;
    if (one_call) {
      count(together ? f.write_at_all(0, mine) : f.write_at(0, mine));
    } else {
      double const* from = mine.data();
      for (io::extend::cursor at(pieces); !at.done(); at.next()) {
        std::int64_t const doubles = at.current().length / 8, offset = at.current().offset / 8;
        count(together ? f.write_at_all(offset, {from, io::type<double>, doubles})
                       : f.write_at(offset, {from, io::type<double>, doubles}));
        from += doubles;
      }
    }
    world.barrier();
    double const seconds = watch.elapsed();
    std::string const how = level == 0   ? "write_at for each piece"
                            : level == 1 ? "write_at_all for each piece"
                            : level == 2 ? "write_at, once"
                                         : "write_at_all, once";
    double const megabytes = static_cast<double>(total(pieces.size())) / 1e6;
    say(fmt::format("  {:<7} {:<32} {:>10} {:>12} {:>10.1f} {:>8.0f}\n", level, how, total(calls),
                    total(file_calls), 1e3 * seconds, megabytes / seconds));
    f.set_view(0, tiles);
    f.read_at_all(0, back);
    if (back != mine)
      throw std::runtime_error("rank " + std::to_string(world.rank()) + " read something else");
  }
  say("\n  What level 3 plans\n\n");
  say(io::to_string(f.explain_at_all(io::access_kind::write, 0, mine)));
  f.close();
}

void show_layouts(std::filesystem::path const& directory) {
  fmt::print("argosy {}\n\n", io::version());
  std::vector<specimen> const all{
      {"x and id of 1000 particles", some_members()},
      {"62^3 doubles inside a halo", interior_of_a_block()},
      {"block-cyclic matrix, rank 0 of 6", block_cyclic_matrix(6)[0]},
      {"every other double of 10^12", io::vector(500'000'000'000, 1, 2, io::type<double>).form()},
  };
  print_forms(all);
  print_numbers(all);
  draw_all(directory);
}

}  // namespace

int main(int argc, char** argv) {
  boost::mpi::environment const environment(argc, argv);
  boost::mpi::communicator const world;
  std::filesystem::path const directory = argc > 1 ? argv[1] : ".";
  try {
    if (world.rank() == 0) show_layouts(directory);
    world.barrier();  // afterwards the directory exists
    write_and_read(world, (directory / "matrix.dat").string());
    four_levels(world, (directory / "levels.dat").string());
  } catch (std::exception const& e) {
    fmt::print(stderr, "demo: {}\n", e.what());
    environment.abort(1);  // other ranks may not have failed
  }
}
