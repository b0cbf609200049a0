// VTKHDF files under mpiexec: read back by io::hdf5 by the rules of the format, and by VTK's own
// reader if it is installed; cmake/vtk.sh installs it.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <argosy/format/vtkhdf.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/format/hdf5.hpp>
#include <argosy/handle/faulty.hpp>

#include "format/npy_cases.hpp"
#include "format/vtkhdf_cases.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::vtkhdf;

namespace {

// The lines of one step of a rank's points.
void add_lines(lines& to, mesh_piece const& m, std::int64_t step, int part, bool poly) {
  std::string const start = "step " + std::to_string(step) + " part " + std::to_string(part) + " ";
  std::vector<double> x;
  std::vector<float> v;
  for (particle const& p : m.points) x.insert(x.end(), p.x, p.x + 3);
  for (auto const& a : m.v) v.insert(v.end(), a.begin(), a.end());
  if (!x.empty()) to.push_back(start + "points" + shown(x));
  if (!x.empty()) to.push_back(start + "point v" + shown(v));
  for (std::size_t t = 0; t < 4; ++t)
    if (m.lists[t].offsets.size() > 1)
      to.push_back(start + (poly ? poly_lists[t] : "cells") + shown(m.lists[t], poly ? "" : "7:"));
  if (!m.id.empty()) to.push_back(start + "cell id" + shown(m.id));
}

vtkhdf state_of(mesh_piece const& m, bool poly) {
  auto const list = [&](std::size_t t) {
    return io::detail::vtkhdf_list{m.lists[t].corners, m.lists[t].offsets};
  };
  io::members<&particle::x> const places;
  vtkhdf state = poly ? vtkhdf::poly_data(m.points, {list(0), list(1), list(2), list(3)}, places)
                      : vtkhdf::unstructured_grid(
                            m.points, {m.lists[0].corners, m.lists[0].offsets, m.types}, places);
  state.add_point_data("v", m.v).add_cell_data("id", m.id);
  return state;
}

void check_mesh(io::mpi const& world, std::string const& path, std::mt19937_64& random, bool poly,
                wanted_of_vtk& vtk) {
  std::int64_t const steps = static_cast<std::int64_t>(random() % 4);
  auto const used = poly ? static_cast<unsigned>(random() % 16) : 1u;
  std::mt19937_64 own(random() + static_cast<std::uint64_t>(world.rank()));
  CAPTURE(poly, steps, used, seed());
  lines wanted;
  for (std::int64_t s = 0; s < std::max<std::int64_t>(1, steps); ++s) {
    // Any number of ranks write a step, in any order.
    int const writers = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(world.size()));
    bool const writes = world.rank() < writers;
    io::mpi const some = world.split(writes ? 0 : 1, -world.rank());
    mesh_piece const m(own, some.rank(), s, used);
    vtkhdf state = state_of(m, poly);
    double const time = 0.5 * static_cast<double>(s);
    if (writes && steps == 0) state.save(some, path);
    if (writes && steps > 0 && s == 0) state.begin_steps(some, path, time, {.steps = 5});
    if (writes && s > 0) state.append_step(some, path, time);
    world.barrier();
    if (writes) add_lines(wanted, m, s, some.rank(), poly);
    if (steps > 1 && world.rank() == 0)
      wanted.push_back("step " + std::to_string(s) + " time" + shown(std::array{time}));
  }
  lines found;
  if (world.rank() == 0) {
    vtkhdf_eye eye(path);
    CHECK(eye.type() == (poly ? "PolyData" : "UnstructuredGrid"));
    CHECK(eye.steps() == steps);
    found = eye.see_points();
  }
  vtk.check(world, path, wanted, found);
}

// Numbers of image data: points and cells of an array that ranks share.
struct image_case {
  dealt points, cells;
  std::vector<std::int32_t> u;
  std::vector<std::array<double, 3>> w;
  std::int64_t cycle = 0;
  std::vector<float> limits;  // one for each step before

  image_case(std::mt19937_64& random, int ranks) {
    do points = dealt::any(random, ranks);
    while (points.sizes.size() > 3 || std::ranges::min(points.sizes) < 2);
    cells = points;
    for (std::int64_t& n : cells.sizes) --n;
  }
  void step(std::int64_t s, int rank) {
    u.clear();
    w.clear();
    cycle = 100 * s;
    limits.assign(static_cast<std::size_t>(s), 0.5f * static_cast<float>(s));
    for (std::int64_t const n : points.numbers(rank))
      u.push_back(static_cast<std::int32_t>(n + 1000 * s));
    for (std::int64_t const n : cells.numbers(rank))
      w.push_back({static_cast<double>(n), static_cast<double>(s), 2.5});
  }
  vtkhdf state(int rank) {
    std::vector<double> spacing(points.sizes.size());
    for (std::size_t k = 0; k < spacing.size(); ++k) spacing[k] = 0.5 * static_cast<double>(k + 1);
    vtkhdf v = vtkhdf::image_data({.points = points.sizes, .spacing = spacing, .order = points.o});
    v.add_point_data("u", points.tile<std::int32_t>(rank), u);
    v.add_cell_data("w", cells.tile<std::array<double, 3>>(rank), w);
    v.add_field_data("cycle", cycle).add_field_data("limits", limits).add_field_data("pi", 3.14);
    return v;
  }
  // All lines of a step.
  lines all(std::int64_t s) const {
    std::vector<std::int64_t> sizes = points.sizes, extent;
    std::vector<double> spacing;
    std::size_t const n = sizes.size();
    for (std::size_t k = 0; k < 3; ++k) {
      std::size_t const i = points.o == io::order::c ? n - 1 - k : k;
      extent.push_back(0);
      extent.push_back(k < n ? sizes[i] - 1 : 0);
      spacing.push_back(k < n ? 0.5 * static_cast<double>(i + 1) : 1);
    }
    std::int64_t all_points = 1, all_cells = 1;
    for (std::int64_t const m : sizes) all_points *= m, all_cells *= m - 1;
    std::vector<double> us, ws;
    for (std::int64_t i = 0; i < all_points; ++i) us.push_back(static_cast<double>(i + 1000 * s));
    for (std::int64_t i = 0; i < all_cells; ++i)
      for (double const x : {static_cast<double>(i), static_cast<double>(s), 2.5}) ws.push_back(x);
    std::string const start = "step " + std::to_string(s) + " part 0 ";
    std::string const step = "step " + std::to_string(s) + " field ";
    lines found{start + "grid" + shown(extent) + shown(std::array{0, 0, 0}) + shown(spacing),
                start + "point u" + shown(us), start + "cell w" + shown(ws),
                step + "cycle" + shown(std::array{cycle}), step + "pi 3.14"};
    if (s > 0) found.push_back(step + "limits" + shown(limits));
    return found;
  }
};

void check_image(io::mpi const& world, std::string const& path, std::mt19937_64& random,
                 wanted_of_vtk& vtk) {
  std::int64_t const steps = static_cast<std::int64_t>(random() % 4);
  image_case c(random, world.size());
  CAPTURE(c.points.sizes, c.points.grid, c.points.block, static_cast<int>(c.points.o), steps);
  vtkhdf state = c.state(world.rank());  // one state for all steps
  lines wanted;
  for (std::int64_t s = 0; s < std::max<std::int64_t>(1, steps); ++s) {
    c.step(s, world.rank());
    double const time = static_cast<double>(s) - 0.5;
    if (steps == 0) state.save(world, path);
    if (steps > 0 && s == 0) state.begin_steps(world, path, time);
    if (s > 0) state.append_step(world, path, time);
    for (std::string const& line : c.all(s)) wanted.push_back(line);
    if (steps > 1)
      wanted.push_back("step " + std::to_string(s) + " time" + shown(std::array{time}));
  }
  if (world.rank() != 0) wanted.clear();
  lines found;
  if (world.rank() == 0) {
    vtkhdf_eye eye(path);
    CHECK(eye.type() == "ImageData");
    CHECK(eye.steps() == steps);
    auto const cycles = eye.all<std::int64_t>("FieldData/cycle");
    auto const limits = eye.all<float>("FieldData/limits");
    CHECK(eye.all<double>("FieldData/pi") == std::vector<double>(cycles.size(), 3.14));
    CHECK(std::ssize(cycles) == std::max<std::int64_t>(1, steps));
    CHECK(cycles.back() == 100 * std::max<std::int64_t>(0, steps - 1));
    CHECK(limits == std::vector<float>(steps < 2    ? std::vector<float>{}
                                       : steps == 2 ? std::vector<float>{0.5f}
                                                    : std::vector<float>{0.5f, 1, 1}));
    if (steps > 0)
      CHECK(eye.all<std::int64_t>("Steps/FieldDataOffsets/limits").back() ==
            (steps - 1) * (steps - 2) / 2);
    auto const u = eye.all<std::int32_t>("PointData/u");
    auto const w = eye.all<double>("CellData/w");
    auto const n = static_cast<std::ptrdiff_t>(std::max<std::int64_t>(1, steps));
    auto const pu = std::ssize(u) / n, pw = std::ssize(w) / n;
    for (std::ptrdiff_t s = 0; s < n; ++s) {
      std::string const start = "step " + std::to_string(s) + " part 0 ";
      auto const part = [&](auto const& x, std::ptrdiff_t size) {
        return shown(std::vector(x.begin() + s * size, x.begin() + (s + 1) * size));
      };
      for (std::string const& line :
           {start + "point u" + part(u, pu), start + "cell w" + part(w, pw)})
        found.push_back(line);
      if (steps > 1)
        found.push_back(
            "step " + std::to_string(s) + " time" +
            shown(std::array{eye.all<double>("Steps/Values")[static_cast<std::size_t>(s)]}));
    }
  }
  // VTK takes a file of one step for one without steps, whose arrays have no dimension of time.
  vtk.check(world, path, wanted, found, steps != 1);
}

}  // namespace

TEST_CASE("VTK reads image data of ranks, step by step", "[format][vtkhdf][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::mt19937_64 random(seed());
  wanted_of_vtk vtk;
  for (int i = 0; i < 3; ++i)
    check_image(world, here / ("image" + std::to_string(i) + ".vtkhdf"), random, vtk);
  vtk.see(world);
}

TEST_CASE("VTK reads cells and points of ranks, step by step", "[format][vtkhdf][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::mt19937_64 random(seed());
  wanted_of_vtk vtk;
  for (int i = 0; i < 6; ++i)
    check_mesh(world, here / ("mesh" + std::to_string(i) + ".vtkhdf"), random, i % 2 == 0, vtk);
  vtk.see(world);
}

TEST_CASE("each particle is a vertex", "[format][vtkhdf]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::vector<particle> all(static_cast<std::size_t>(world.rank() + 1), {{1, 2, 3}, 4, 5});
  vtkhdf::poly_data(all, io::members<&particle::x>{})
      .add_point_data("charge", all, io::members<&particle::charge>{})
      .save(world, here / "p.vtkhdf");
  if (world.rank() != 0) return;
  vtkhdf_eye eye(here / "p.vtkhdf");
  auto const n = static_cast<std::size_t>(world.size() * (world.size() + 1) / 2);
  CHECK(eye.all<float>("PointData/charge") == std::vector<float>(n, 4));
  CHECK(eye.all<std::int64_t>("Vertices/NumberOfCells").back() == world.size());
  CHECK(eye.all<std::int64_t>("Vertices/Offsets").size() ==
        n + static_cast<std::size_t>(world.size()));
}

TEST_CASE("states that cannot be shown, or are not those of the file, are refused on all ranks",
          "[format][vtkhdf][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::string const path = here / "f.vtkhdf";
  int const last = world.size() - 1;
  std::vector<std::array<double, 3>> x(2);
  std::vector<double> u(2), few(world.rank() == last ? 1 : 2);
  std::vector<float> single(2);
  std::vector<std::complex<double>> complex(2);
  std::vector<std::int64_t> const corners{0, 1}, offsets{0, 2}, beyond{0, 2};
  std::vector<std::uint8_t> const types{3};
  auto const refused = [&](io::errc e, int rank, char const* words, vtkhdf state, auto&& call) {
    check_refused(world, e, rank, words, [&](auto&... error) { call(state, error...); });
  };
  auto const save = [&](vtkhdf& v, auto&... e) { v.save(world, path, {e...}); };
  auto const add = [&](vtkhdf& v, auto&... e) { v.append_step(world, path, 1, {e...}); };
  auto const points = [&] { return vtkhdf::poly_data(x); };
  refused(io::errc::argument, -1, "1 points along an index", vtkhdf::image_data({.points = {4, 1}}),
          save);
  refused(io::errc::argument, -1, "integers, float and double",
          points().add_point_data("u", complex), save);
  refused(io::errc::argument, last, "has the shape (1,)", points().add_point_data("u", few), save);
  refused(io::errc::argument, -1, "no name of an array", points().add_point_data("a/b", u), save);
  refused(io::errc::argument, -1, "is there twice",
          points().add_point_data("u", u).add_point_data("u", u), save);
  refused(io::errc::argument, last, "a corner is point 2, and this rank has 2",
          vtkhdf::unstructured_grid(x, {world.rank() == last ? beyond : corners, offsets, types}),
          save);
  refused(io::errc::no_such_file, -1, "no such file", points(), add);
  refused(io::errc::argument, -1, "field data is integers", points().add_field_data("c", complex),
          save);
  refused(io::errc::argument, -1, "VTK does not read field data of boxes",
          vtkhdf::overlapping_amr({.spacing = {1}}).add_field_data("c", 1), save);

  // A file of another program, of one state, and of steps.
  auto f = io::hdf5::create(world, path, io::hdf5_content().add("a", io::type<double>));
  f.close();
  refused(io::errc::argument, -1, "this is no VTKHDF file", points(), add);
  points().save(world, path);
  refused(io::errc::argument, -1, "the file has no steps", points(), add);
  points().add_point_data("u", u).begin_steps(world, path, 0, {.steps = 2});
  refused(io::errc::argument, -1, "the file has 'VTKHDF/PointData/u', and the state has not",
          points(), add);
  refused(io::errc::argument, -1, "the state has 'VTKHDF/PointData/v', and the file has not",
          points().add_point_data("u", u).add_point_data("v", u), add);
  refused(io::errc::argument, -1, "is '<f8' (", points().add_point_data("u", single), add);
  refused(io::errc::argument, -1, "the file has PolyData, and the state is UnstructuredGrid",
          vtkhdf::unstructured_grid(x, {corners, offsets, types}).add_point_data("u", u), add);
  refused(io::errc::argument, -1, "the last step has the time 0.000000, and this one -1",
          points().add_point_data("u", u),
          [&](vtkhdf& v, auto&... e) { v.append_step(world, path, -1, {e...}); });
  vtkhdf state = points().add_point_data("u", u);
  state.append_step(world, path, 1);
  refused(io::errc::argument, -1, "the file has room for 2 entries of", state,
          [&](vtkhdf& v, auto&... e) { v.append_step(world, path, 2, {e...}); });
  if (world.size() > 1) {
    std::error_code error;
    state.append_step(world, path, 3.0 + world.rank(), error);
    CHECK(error == io::errc::not_same);
    points().add_field_data("rank", world.rank()).save(world, path, error);
    CHECK(error == io::errc::not_same);
  }
}

TEST_CASE("a full disk at any write leaves the steps that were there", "[format][vtkhdf][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::string const path = here / "f.vtkhdf";
  std::mt19937_64 own(seed() + static_cast<std::uint64_t>(world.rank()));
  mesh_piece const first(own, world.rank(), 0, 15), second(own, world.rank(), 1, 15);
  state_of(first, true).begin_steps(world, path, 0);
  vtkhdf state = state_of(second, true);
  lines before;
  if (world.rank() == 0) before = vtkhdf_eye(path).see_points();
  std::int64_t failed = 0;
  for (std::int64_t call = 1;; ++call) {
    auto script = std::make_shared<io::fault_script>();
    if (world.rank() == 0)
      script->add(io::fail_at(io::file_call::write, call, std::errc::no_space_on_device));
    std::error_code error;
    state.append_step(world, path, 1, error, io::with_faults(io::posix_opener(), script));
    if (!error) break;
    ++failed;
    CHECK(failed_on(world, 0, io::errc::no_space, error));
    if (world.rank() == 0) {
      vtkhdf_eye eye(path);
      CHECK(eye.steps() == 1);
      CHECK(eye.see_points() == before);
    }
  }
  CHECK(failed > 10);
  lines wanted;
  add_lines(wanted, first, 0, world.rank(), true);
  add_lines(wanted, second, 1, world.rank(), true);
  if (world.rank() == 0) wanted.insert(wanted.end(), {"step 0 time 0", "step 1 time 1"});
  wanted_of_vtk vtk;
  vtk.check(world, path, wanted, world.rank() == 0 ? vtkhdf_eye(path).see_points() : lines());
  vtk.see(world);
}
