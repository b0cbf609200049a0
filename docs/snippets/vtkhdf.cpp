// Snippets of docs/use/vtkhdf.md: VTKHDF files for ParaView.
// Run: mpiexec -n 4 build/release/bin/snippets_vtkhdf, or with an argument, which keeps the files
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/format/vtkhdf.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace io = argosy;
namespace mpi = boost::mpi;

struct particle {
  double x[3];
  float charge;
};
template <>
struct io::describe<particle> : io::members<&particle::x, &particle::charge> {};

namespace {

void require(bool well, char const* what) {
  if (!well) throw std::runtime_error(what);
}

void image(mpi::communicator const& world) {
  std::int64_t const nz = 4 * world.size(), ny = 6, nx = 5;
  std::vector<double> u(4 * 6 * 5, world.rank());
  // [vtkhdf_image]
  io::darray<double, 3> const tile({nz, ny, nx}, io::distribute::block, {world.size(), 1, 1},
                                   world.rank());
  io::vtkhdf run = io::vtkhdf::image_data({.points = {nz, ny, nx}, .spacing = {0.5, 0.5, 0.25}});
  run.add_point_data("temperature", tile, u);
  std::int64_t cycle = 0;
  run.add_field_data("cycle", cycle).add_field_data("viscosity", 0.01);
  run.begin_steps(world, "run.vtkhdf", 0.0, {.steps = 500});
  for (int step = 1; step < 4; ++step) {
    for (double& value : u) value += 1;
    cycle += 100;
    run.append_step(world, "run.vtkhdf", 0.1 * step);
  }
  // [vtkhdf_image]
  io::hdf5_content const found = io::hdf5::content_of(world, "run.vtkhdf");
  require(found.find("VTKHDF/PointData/temperature")->shape[0] == 4, "steps are missing");
  // [vtkhdf_error]
  std::error_code error;
  run.append_step(world, "run.vtkhdf", 0.2, error);
  if (error == io::errc::argument && world.rank() == 0) std::cout << run.what_failed() << "\n";
  // [vtkhdf_error]
  require(error == io::errc::argument, "a step was added that is not later");
}

void mesh(mpi::communicator const& world) {
  // [vtkhdf_mesh]
  std::vector<std::array<double, 3>> const points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::vector<std::int64_t> const corners{0, 1, 2, 3, 1, 2}, offsets{0, 4, 6};
  std::vector<std::uint8_t> const types{10, 3};  // a tetrahedron and a line
  std::vector<float> const pressure(4, 1.5f);
  std::vector<std::int32_t> const owner(2, world.rank());
  io::vtkhdf::unstructured_grid(points, {corners, offsets, types})
      .add_point_data("pressure", pressure)
      .add_cell_data("owner", owner)
      .save(world, "mesh.vtkhdf");
  // [vtkhdf_mesh]
}

void particles(mpi::communicator const& world) {
  std::string const path = "particles.vtkhdf";
  double const time = 0;
  std::vector<particle> const mine(static_cast<std::size_t>(3 + world.rank()), {{1, 2, 3}, 1});
  // [vtkhdf_particles]
  io::vtkhdf::poly_data(mine, io::members<&particle::x>{})
      .add_point_data("charge", mine, io::members<&particle::charge>{})
      .begin_steps(world, path, time);
  // [vtkhdf_particles]
  // [vtkhdf_surface]
  std::vector<std::array<float, 3>> const points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  std::vector<std::int64_t> const corners{0, 1, 2, 3}, offsets{0, 4};
  io::vtkhdf::poly_data(points, {.polygons = {corners, offsets}}).save(world, "quad.vtkhdf");
  // [vtkhdf_surface]
}

struct block {
  std::int64_t level;
  std::vector<std::int64_t> first, cells;
  std::vector<double> density;
};

void boxes(mpi::communicator const& world) {
  std::int64_t const r = world.rank();
  std::vector<block> const mine{{0, {0, 0, 4 * r}, {4, 4, 4}, std::vector<double>(64, 1)},
                                {1, {0, 4, 8 * r}, {4, 4, 2}, std::vector<double>(32, 2)}};
  // [vtkhdf_boxes]
  io::vtkhdf run = io::vtkhdf::overlapping_amr({.spacing = {0.5, 0.5, 0.5}, .refinement = {2}});
  for (block const& b : mine)
    run.add_box({b.level, b.first, b.cells}).add_cell_data("density", b.density);
  run.begin_steps(world, "boxes.vtkhdf", 0.0);
  // [vtkhdf_boxes]
  // [vtkhdf_halo]
  std::vector<double> u(6 * 6 * 6);  // a block of 4 * 4 * 4 cells in a halo
  io::array_part const all({4, 4, 4}, io::contiguous(64, io::type<double>));
  io::subarray const inside({6, 6, 6}, {4, 4, 4}, {1, 1, 1}, io::type<double>);
  io::vtkhdf one = io::vtkhdf::overlapping_amr({.spacing = {0.5, 0.5, 0.5}});
  one.add_box({.start = {0, 0, 4 * r}, .cells = {4, 4, 4}});
  one.add_cell_data("u", all, io::source(u, inside)).save(world, "halo.vtkhdf");
  // [vtkhdf_halo]
}

}  // namespace

int main(int argc, char**) {
  mpi::environment const env;
  mpi::communicator const world;
  std::string const here = "snippets_vtkhdf";
  if (world.rank() == 0) {
    std::filesystem::remove_all(here);
    std::filesystem::create_directory(here);
  }
  world.barrier();
  std::filesystem::current_path(here);
  image(world);
  mesh(world);
  particles(world);
  boxes(world);
  world.barrier();
  if (world.rank() == 0 && argc == 1) std::filesystem::remove_all(std::filesystem::current_path());
}
