// Snippets of docs/use/hdf5.md and docs/use/units.md: HDF5 files.
// Run: mpiexec -n 4 build/release/bin/snippets_hdf5
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/hdf5.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace io = argosy;
namespace mpi = boost::mpi;

struct cell {
  double x[3];
  std::int32_t kind;
};
template <>
struct io::describe<cell> : io::members<&cell::x, &cell::kind> {};

namespace {

void require(bool well, char const* what) {
  if (!well) throw std::runtime_error(what);
}

void arrays(mpi::communicator const& world) {
  std::int64_t const ny = 64, nx = 16 * world.size();
  std::vector<float> const u(static_cast<std::size_t>(64 * 16),
                             1.0f + static_cast<float>(world.rank()));
  std::vector<cell> const cells(8, cell{{1, 2, 3}, world.rank()});
  // [hdf5_create]
  io::darray<float, 2> const tile({ny, nx}, io::distribute::block, {1, world.size()}, world.rank());
  io::darray<cell, 1> const share({8 * world.size()}, io::distribute::block, {world.size()},
                                  world.rank());
  io::hdf5_content c;
  c.add("fields/u", tile, {.attributes = {{"units", "K"}, {"origin", std::array{0.0, 0.5}}}});
  c.add("cells", share);
  c.add_group("", {{"title", "a run"}, {"step", 12}});
  auto f = io::hdf5::create(world, "run.h5", c);
  f.write_all("fields/u", tile, u);
  f.write_all("cells", share, cells);
  f.close();
  // [hdf5_create]
  // [hdf5_read]
  auto g = io::hdf5::open(world, "run.h5");
  std::vector<std::int64_t> const shape = g.content().find("fields/u")->shape;
  io::darray<float, 2> const rows({shape[0], shape[1]}, io::distribute::block, {world.size(), 1},
                                  world.rank());
  std::vector<float> mine(static_cast<std::size_t>(io::array_part(rows).elements()));
  g.read_all("fields/u", rows, mine);
  g.close();
  if (world.rank() == 0) std::cout << to_string(g.content());
  // [hdf5_read]
  require(mine[0] == 1 && mine.back() == static_cast<float>(world.size()), "the array differs");
  // [hdf5_error]
  std::error_code error;
  io::hdf5 wrong = io::hdf5::open(world, "run.h5");
  wrong.read_all("fields/v", rows, mine, error);
  if (error == io::errc::argument && world.rank() == 0) std::cout << wrong.what_failed() << "\n";
  wrong.close();
  // [hdf5_error]
  require(error == io::errc::argument, "a dataset was read that is not there");
  // [hdf5_filters]
  io::hdf5_options how{.chunks = {16, 16},
                       .filters = {io::hdf5_filter::shuffle(), io::hdf5_filter::deflate(4)}};
  for (io::hdf5_filter const one : how.filters)
    if (!one.is_available()) std::cout << "this build has no " << one.name() << "\n";
  auto packed = io::hdf5::create(world, "packed.h5", io::hdf5_content().add("u", tile, how));
  packed.write_all("u", tile, u);
  packed.close();
  // [hdf5_filters]
  // [hdf5_attributes]
  io::hdf5_content const found = io::hdf5::content_of(world, "run.h5");
  for (io::hdf5_group const& group : found.groups)
    if (world.rank() == 0) std::cout << group.name << "\n";
  io::hdf5_dataset const& field = *found.find("fields/u");
  for (io::hdf5_attribute const& a : field.options.attributes)
    if (world.rank() == 0) std::cout << a.name << ": " << a.text().value_or("no text") << "\n";
  // [hdf5_attributes]
}

void steps(mpi::communicator const& world) {
  std::int64_t const nx = 8 * world.size();
  std::vector<double> const u(8), x(8);
  // [hdf5_grow]
  auto const slice = [&](std::int64_t step) {  // this rank's cells of a step
    return io::subarray({step + 1, nx}, {1, 8}, {step, 8 * world.rank()}, io::type<double>);
  };
  io::subarray const row({nx}, {8}, {8 * world.rank()}, io::type<double>);
  io::hdf5_content c;
  c.add("u", slice(0), {.most = 1000, .dimension_names = {"time", "x"}});
  c.add("x", row, {.dimension_names = {"x"}});  // the coordinates of the dimension x
  c.add_group("", {{"steps", std::int64_t{1}}});
  auto f = io::hdf5::create(world, "run.nc", c);
  f.write_all("x", row, x);
  f.write_all("u", slice(0), u);
  f.close();  // the file has its name from here on
  f = io::hdf5::open(world, "run.nc", io::mode::read_write);
  for (std::int64_t step = 1; step < 5; ++step) {
    f.grow("u", step + 1);
    f.write_all("u", slice(step), u);
    f.set_attribute("", {"steps", step + 1});
    f.sync();  // programs that open the file now find this step
  }
  f.close();
  // [hdf5_grow]
}

void units(mpi::communicator const& world) {
  std::int64_t const ny = 8, nx = 8 * world.size();
  std::vector<float> const u(8 * 8, 280.0f + static_cast<float>(world.rank()));
  // [units_cf]
  auto const slice =
      io::subarray({1, ny, nx}, {1, ny, 8}, {0, 0, 8 * world.rank()}, io::type<float>);
  io::subarray const row({nx}, {8}, {8 * world.rank()}, io::type<double>);
  io::subarray const instant({1}, {world.rank() == 0 ? 1 : 0}, {0}, io::type<double>);  // rank 0's
  io::hdf5_content c;
  c.add_group("", {{"Conventions", "CF-1.11"}, {"title", "a room"}});
  c.add("time", instant,
        {.most = 1000,
         .dimension_names = {"time"},
         .attributes = {{"units", "seconds since 2026-01-01 00:00:00"}, {"calendar", "standard"}}});
  c.add("x", row, {.dimension_names = {"x"}, .attributes = {{"units", "m"}, {"axis", "X"}}});
  c.add(
      "temperature", slice,
      {.most = 1000,
       .dimension_names = {"time", "y", "x"},
       .attributes = {
           {"units", "K"}, {"standard_name", "air_temperature"}, {"cell_methods", "time: point"}}});
  auto f = io::hdf5::create(world, "room.nc", c);
  // [units_cf]
  std::vector<double> x(8), time{60};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.25 * (8 * world.rank() + static_cast<int>(i));
  f.write_all("x", row, x);
  f.write_all("temperature", slice, u);
  f.write_all("time", instant, std::span(time).first(world.rank() == 0 ? 1 : 0));
  f.close();
  // [units_openpmd]
  io::darray<float, 2> const tile({ny, nx}, io::distribute::block, {1, world.size()}, world.rank());
  std::array const kelvin{0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0};  // powers of m, kg, s, A, K, mol, cd
  io::hdf5_content p;
  p.add_group("", {{"openPMD", "1.1.0"},
                   {"openPMDextension", std::uint32_t{0}},
                   {"basePath", "/data/%T/"},
                   {"meshesPath", "meshes/"},
                   {"iterationEncoding", "groupBased"},
                   {"iterationFormat", "/data/%T/"}});
  p.add_group("data/60", {{"time", 60.0}, {"dt", 1.0}, {"timeUnitSI", 1.0}});
  p.add("data/60/meshes/temperature", tile,
        {.attributes = {{"unitDimension", kelvin},
                        {"unitSI", 1.0},
                        {"timeOffset", 0.0},
                        {"geometry", "cartesian"},
                        {"dataOrder", "C"},
                        {"axisLabels", std::array{"y", "x"}},
                        {"gridSpacing", std::array{0.25, 0.25}},
                        {"gridGlobalOffset", std::array{0.0, 0.0}},
                        {"gridUnitSI", 1.0},
                        {"position", std::array{0.5, 0.5}}}});
  auto g = io::hdf5::create(world, "room.h5", p);
  g.write_all("data/60/meshes/temperature", tile, u);
  g.close();
  // [units_openpmd]
  io::hdf5_dataset const* const d = g.content().find("data/60/meshes/temperature");
  require(d && d->options.attributes[5].texts() == std::vector<std::string>{"y", "x"}, "labels");
}

}  // namespace

int main(int argc, char**) {
  mpi::environment const env;
  mpi::communicator const world;
  std::string const here = "snippets_hdf5";
  if (world.rank() == 0) {
    std::filesystem::remove_all(here);
    std::filesystem::create_directory(here);
  }
  world.barrier();
  std::filesystem::current_path(here);
  arrays(world);
  steps(world);
  units(world);
  world.barrier();
  if (argc == 1 && world.rank() == 0)  // any word keeps the files
    std::filesystem::remove_all(std::filesystem::current_path());
}
