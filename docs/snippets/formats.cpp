// Snippets of docs/use/formats.md: files that other programs open.
// Run: mpiexec -n 4 build/release/bin/snippets_formats
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/format/leftovers.hpp>
#include <argosy/format/npy.hpp>
#include <argosy/format/xdmf.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#if defined(__clang__)
// Boost.Functional's std::unary_function
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#endif
#include <boost/multi_array.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace io = argosy;
namespace mpi = boost::mpi;

// [format_record]
struct particle {
  double x[3];
  float charge;
  int id;
};
// these two members, and their names
io::members<&particle::x, &particle::id> describe(particle const&);
// [format_record]

namespace {

void require(bool well, char const* what) {
  if (!well) throw std::runtime_error(what);
}

void arrays(mpi::communicator const& world) {
  std::int64_t const nx = 4 * world.size(), ny = 6;
  boost::multi_array<double, 2> u(boost::extents[6][8]);  // 4 x 6 values in a halo
  // [format_npy]
  io::darray<double, 2> const tile({nx, ny}, io::distribute::block, {world.size(), 1},
                                   world.rank());
  auto f = io::npy::create(world, "u.npy", tile);
  f.write_all(io::interior(u, {1, 1}));
  f.close();
  // [format_npy]
  // [format_npy_read]
  // if the program does not know the shape
  io::npy_header const h = io::npy::header_of(world, "u.npy");
  io::darray<double, 2> const columns({h.shape[0], h.shape[1]}, io::distribute::block,
                                      {1, world.size()}, world.rank());
  std::vector<double> mine(static_cast<std::size_t>(io::array_part(columns).elements()));
  auto g = io::npy::open(world, "u.npy", columns);
  g.read_all(mine);
  g.close();
  // [format_npy_read]
  // [format_npy_error]
  std::error_code error;
  auto wrong =
      io::npy::open(world, "u.npy",
                    io::darray<float, 1>({nx}, io::distribute::block, {world.size()}, world.rank()),
                    io::mode::read, error);
  if (error == io::errc::datatype && world.rank() == 0) std::cout << wrong.what_failed() << "\n";
  // [format_npy_error]
  require(error == io::errc::datatype, "another array was opened");
  // [format_npy_record]
  io::darray<particle, 1> const dealt({100}, io::distribute::cyclic, {world.size()}, world.rank());
  std::vector<particle> p(static_cast<std::size_t>(io::array_part(dealt).elements()));
  // dtype [('x', '<f8', (3,)), ('id', '<i4')]
  auto r = io::npy::create(world, "particles.npy", dealt);
  r.write_all(p);
  r.close();
  // [format_npy_record]
  // [format_xdmf]
  io::xdmf run({.points = {nx, ny}, .origin = {0, 0}, .spacing = {0.5, 0.25}});
  run.add(0.0, "temperature", "u.npy", h);
  // a file without a header; the array begins at 512
  run.add(0.0, "pressure", "raw.dat", tile, 512);
  run.save(world, "run.xdmf");
  // [format_xdmf]
}

void checkpoints(mpi::communicator const& world) {
  std::int64_t const nx = 4 * world.size(), ny = 6;
  io::darray<double, 2> const tile({nx, ny}, io::distribute::block, {world.size(), 1},
                                   world.rank());
  std::vector<double> u(24, world.rank());
  std::int64_t step = 7;
  double time = 0.5;
  // [format_checkpoint]
  io::checkpoint state;
  state.add_value("step", step)
      .add_value("time", time)
      .add("u", tile, u);  // once, for saving and for loading
  state.save(world, "state.checkpoint");
  state.load(world, "state.checkpoint");  // on any number of ranks
  // [format_checkpoint]
  // [format_codecs]
  state.encode({io::zarr_codec::gzip(1)}).save(world, "small.checkpoint");
  state.load(world, "small.checkpoint");  // the file names its codecs
  // [format_codecs]
  std::vector<particle> own(static_cast<std::size_t>(world.rank() + 1));
  // [format_particles]
  auto const state_of = [&](std::vector<particle>& mine) {
    auto const [first, all] = io::share_of(world, mine.size());  // collective
    io::checkpoint now;
    now.add("particles", io::subarray({all}, {std::ssize(mine)}, {first}, io::type<particle>),
            mine);
    return now;
  };
  state_of(own).save(world, "particles.checkpoint");
  // [format_particles]
  std::mt19937_64 engine(7);
  std::vector<std::string> names{"temperature", "p"};
  std::optional<double> found = 0.5;
  auto const drawn = engine();
  // [format_engine]
  std::string text = (std::ostringstream() << engine).str();  // each rank saves the same engine
  io::checkpoint with_engine;
  with_engine.add_value("engine", text).add_value("names", names).add_value("found", found);
  with_engine.save(world, "engine.checkpoint");
  with_engine.load(world, "engine.checkpoint");
  std::istringstream(text) >> engine;
  // [format_engine]
  auto expected = std::mt19937_64(7);
  require(expected() == drawn && engine == expected, "another engine was loaded");
  // [format_members]
  io::members<&particle::x, &particle::charge> const choice;
  auto const [before, total] = io::share_of(world, own.size());
  io::checkpoint some;
  some.add("charges", io::subarray({total}, {std::ssize(own)}, {before}, choice), own, choice);
  some.save(world, "charges.checkpoint");
  // [format_members]
  auto const there = io::checkpoint::header_of(world, "particles.checkpoint");
  require(there.find("particles")->shape[0] == world.size() * (world.size() + 1) / 2,
          "other particles were saved");
  require(step == 7 && u == std::vector<double>(24, world.rank()), "loaded something else");
  world.barrier();
  if (world.rank() != 0) return;
  // [format_leftovers]
  for (io::leftover const& l : io::remove_leftovers("state.checkpoint"))
    if (!l.kept.empty()) std::cout << l.path << " stays: " << l.kept << "\n";
  // [format_leftovers]
  // [format_info]
  io::file_header const h = io::read_header("state.checkpoint");  // one process; .npy files, too
  std::cout << to_string(std::get<io::checkpoint_header>(h));
  for (io::extend::damaged_block const& b : io::find_damage("state.checkpoint"))  // reads all of it
    std::cout << b.array << ": block " << b.block << ", from byte " << b.offset << " on\n";
  // [format_info]
}

}  // namespace

int main() {
  mpi::environment const environment;
  mpi::communicator const world;
  if (world.rank() == 0) std::filesystem::create_directory("formats_snippets");
  world.barrier();
  std::filesystem::current_path("formats_snippets");
  arrays(world);
  checkpoints(world);
  world.barrier();
  std::filesystem::current_path("..");
  if (world.rank() == 0) std::filesystem::remove_all("formats_snippets");
}
