// Overlapping AMR in VTKHDF files under mpiexec: random boxes of all ranks, read back by io::hdf5
// and by VTK's reader, and boxes that cannot be shown.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <argosy/format/vtkhdf.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/format/hdf5.hpp>

#include "format/npy_cases.hpp"
#include "format/vtkhdf_cases.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::vtkhdf;

namespace {

using sizes = std::vector<std::int64_t>;

struct owned_box {
  io::detail::vtkhdf_box box;
  std::int64_t rank = 0;
};

// The data of one box: cells without and with a halo, and points.
struct box_data {
  std::vector<std::int32_t> u;
  std::vector<std::array<double, 3>> w;
  std::vector<float> p;
};

// Levels that all ranks know, and random boxes.
struct boxes_case {
  std::size_t indices;
  io::order o;
  sizes refinement = {};
  std::vector<double> spacing = {}, origin = {};
  std::mt19937_64& random;

  explicit boxes_case(std::mt19937_64& r)
      : indices(1 + r() % 3), o(r() % 2 == 0 ? io::order::c : io::order::fortran), random(r) {
    for (auto n = up_to(3); n > 0; --n) refinement.push_back(2 + up_to(3));
    for (std::size_t k = 0; k < indices; ++k) {
      spacing.push_back(0.5 * static_cast<double>(k + 1));
      origin.push_back(static_cast<double>(k) - 1);
    }
  }
  std::int64_t up_to(std::int64_t n) const {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  }
  // Returns boxes in places of their own, by level and rank: one or more of each level.
  std::vector<owned_box> boxes(int ranks) const {
    std::vector<owned_box> all;
    for (std::int64_t level = 0; level <= std::ssize(refinement); ++level) {
      std::int64_t const unit = level == 0 ? 1 : refinement[static_cast<std::size_t>(level) - 1];
      std::int64_t const places = indices == 1   ? 5
                                  : indices == 2 ? 9
                                                 : 8,
                         side = indices == 2 ? 3 : 2;
      for (std::int64_t place = 0; place < places; ++place) {
        owned_box one{{.level = level}, up_to(ranks)};
        for (std::int64_t k = 0, rest = place; k < static_cast<std::int64_t>(indices); ++k) {
          std::int64_t const skipped = up_to(2);
          one.box.start.push_back(unit * (3 * (indices == 1 ? rest : rest % side) + skipped));
          one.box.cells.push_back(unit * (1 + up_to(3 - skipped)));
          rest /= side;
        }
        bool const none = place + 1 == places && (all.empty() || all.back().box.level < level);
        if (up_to(3) == 0 || none) all.push_back(one);
      }
    }
    // The places of a level and rank stay in their order.
    for (std::size_t n = 1; n < all.size(); ++n)
      for (std::size_t k = n; k > 0 && std::tuple(all[k].box.level, all[k].rank) <
                                           std::tuple(all[k - 1].box.level, all[k - 1].rank);
           --k)
        std::swap(all[k], all[k - 1]);
    return all;
  }

  // Returns the numbers of a box along x, y and z.
  std::array<std::int64_t, 3> in_space(sizes const& of_box, std::int64_t missing) const {
    std::array<std::int64_t, 3> all{missing, missing, missing};
    for (std::size_t k = 0; k < indices; ++k)
      all[k] = of_box[o == io::order::c ? indices - 1 - k : k];
    return all;
  }
  // Calls f(place, number) for all cells in the order of the array. The number names the cell.
  template <class F>
  void each(owned_box const& b, std::int64_t more, std::int64_t step, F&& f) const {
    auto const first = in_space(b.box.start, 0), n = in_space(b.box.cells, 1);
    std::array<std::int64_t, 3> i{};
    for (i[2] = 0; i[2] < n[2] + more; ++i[2])
      for (i[1] = 0; i[1] < n[1] + more; ++i[1])
        for (i[0] = 0; i[0] < n[0] + more; ++i[0])
          f(i, 10000 * b.box.level + 1000 * step +
                   (first[0] + i[0] + 7 * (first[1] + i[1]) + 53 * (first[2] + i[2])) % 1000);
  }
  // Makes the data of a box, and adds it to the state.
  void add(vtkhdf& state, owned_box const& b, std::int64_t step, box_data& d) const {
    sizes wide = b.box.cells;
    for (std::int64_t& n : wide) n += 2;
    auto const n = in_space(wide, 1);
    d.w.assign(static_cast<std::size_t>(n[0] * n[1] * n[2]), {-1, -1, -1});
    each(b, 0, step, [&](std::array<std::int64_t, 3> i, std::int64_t number) {
      for (std::size_t k = 0; k < indices; ++k) ++i[k];  // behind the halo
      d.u.push_back(static_cast<std::int32_t>(number));
      d.w[static_cast<std::size_t>((i[2] * n[1] + i[1]) * n[0] + i[0])] = {
          static_cast<double>(number), 0.5, 2};
    });
    each(b, 1, step,
         [&](auto const&, std::int64_t number) { d.p.push_back(static_cast<float>(number)); });
    using vector = std::array<double, 3>;
    sizes const halo(indices, 1);
    io::array_part const whole(b.box.cells, io::contiguous(std::ssize(d.u), io::type<vector>), o);
    auto const inside =
        io::subarray(io::numbers<>(std::span(wide)), io::numbers<>(std::span(b.box.cells)),
                     io::numbers<>(std::span(halo)), io::type<vector>, o);
    state.add_box(b.box);
    bool const first = up_to_of_rank(2) == 0;  // in any order
    if (first && indices == 3) state.add_point_data("p", d.p);
    state.add_cell_data("u", d.u).add_cell_data("w", whole, io::source(d.w, inside));
    if (!first && indices == 3) state.add_point_data("p", d.p);
  }
  std::int64_t up_to_of_rank(std::int64_t n) const { return ++calls % n; }
  mutable std::int64_t calls = 0;

  // The lines of a box. `number` counts those of its level.
  lines of(owned_box const& b, std::int64_t number, std::int64_t step) const {
    std::string const start = "step " + std::to_string(step) + " level " +
                              std::to_string(b.box.level) + " box " + std::to_string(number) + " ";
    std::vector<std::int64_t> us, ps, extent;
    std::vector<double> ws, place, size;
    each(b, 0, step, [&](auto const&, std::int64_t n) {
      us.push_back(n);
      ws.insert(ws.end(), {static_cast<double>(n), 0.5, 2});
    });
    each(b, 1, step, [&](auto const&, std::int64_t n) { ps.push_back(n); });
    std::int64_t all = 1;
    for (std::int64_t l = 0; l < b.box.level; ++l) all *= refinement[static_cast<std::size_t>(l)];
    auto const first = in_space(b.box.start, 0), n = in_space(b.box.cells, 1);
    for (std::size_t k = 0; k < 3; ++k) {
      std::size_t const i = o == io::order::c ? indices - 1 - k : k;
      double const h = k < indices ? spacing[i] / static_cast<double>(all) : 1;
      extent.insert(extent.end(), {0, n[k]});
      place.push_back((k < indices ? origin[i] : 0) + static_cast<double>(first[k]) * h);
      size.push_back(h);
    }
    lines found{start + "grid" + shown(extent) + shown(place) + shown(size),
                start + "cell u" + shown(us), start + "cell w" + shown(ws)};
    if (indices == 3) found.push_back(start + "point p" + shown(ps));
    return found;
  }
};

void check_boxes(io::mpi const& world, std::string const& path, std::mt19937_64& random,
                 wanted_of_vtk& vtk) {
  boxes_case const c(random);
  auto const steps = static_cast<std::int64_t>(random() % 4);
  CAPTURE(c.indices, c.refinement, steps, seed());
  lines wanted;
  for (std::int64_t s = 0; s < std::max<std::int64_t>(1, steps); ++s) {
    // Any number of ranks write a step.
    int const writers = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(world.size()));
    bool const writes = world.rank() < writers;
    io::mpi const some = world.split(writes ? 0 : 1, -world.rank());
    std::vector<owned_box> const all = c.boxes(writers);
    vtkhdf state = vtkhdf::overlapping_amr(
        {.spacing = c.spacing, .origin = c.origin, .refinement = c.refinement, .order = c.o});
    std::deque<box_data> data;
    std::vector<std::int64_t> numbers(c.refinement.size() + 1);
    for (owned_box const& b : all) {
      std::int64_t const number = numbers[static_cast<std::size_t>(b.box.level)]++;
      if (!writes || b.rank != some.rank()) continue;
      c.add(state, b, s, data.emplace_back());
      for (std::string const& line : c.of(b, number, s)) wanted.push_back(line);
    }
    double const time = 0.5 * static_cast<double>(s);
    if (writes && steps == 0) state.save(some, path);
    if (writes && steps > 0 && s == 0) state.begin_steps(some, path, time, {.steps = 5});
    if (writes && s > 0) state.append_step(some, path, time);
    world.barrier();
    if (steps > 1 && world.rank() == 0)
      wanted.push_back("step " + std::to_string(s) + " time" + shown(std::array{time}));
  }
  lines found;
  if (world.rank() == 0) {
    vtkhdf_eye eye(path);
    CHECK(eye.type() == "OverlappingAMR");
    CHECK(eye.steps() == steps);
    found = eye.see_boxes(c.refinement.size() + 1, c.indices == 3);
  }
  vtk.check(world, path, wanted, found);
}

}  // namespace

TEST_CASE("VTK reads boxes of ranks, step by step", "[format][vtkhdf][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::mt19937_64 random(seed());
  wanted_of_vtk vtk;
  for (int i = 0; i < 6; ++i)
    check_boxes(world, here / ("boxes" + std::to_string(i) + ".vtkhdf"), random, vtk);
  vtk.see(world);
}

TEST_CASE("boxes that cannot be shown are refused on all ranks", "[format][vtkhdf][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::string const path = here / "b.vtkhdf";
  std::int64_t const mine = 4 * std::int64_t{world.rank()};
  int const last = world.size() - 1;
  std::vector<double> u(8), few(7), nine(9);
  std::vector<float> single(8);
  auto const levels = [](double y = 0.5) {
    return vtkhdf::overlapping_amr({.spacing = {y, 0.5}, .refinement = {2, 3}});
  };
  // A state with a box of each level on each rank, but none of level `without`.
  auto const boxes = [&](char const* name = "u", std::int64_t without = 3, double y = 0.5) {
    vtkhdf v = levels(y);
    if (without != 0) v.add_box({0, {mine, 0}, {4, 2}}).add_cell_data(name, u);
    if (without != 1) v.add_box({1, {mine, 8}, {4, 2}}).add_cell_data(name, u);
    if (without != 2) v.add_box({2, {9 * mine, 0}, {3, 3}}).add_cell_data(name, nine);
    return v;
  };
  auto const save = [&](vtkhdf& v, auto&... e) { v.save(world, path, {e...}); };
  auto const refused = [&](int rank, char const* words, vtkhdf state) {
    check_refused(world, io::errc::argument, rank, words,
                  [&](auto&... error) { save(state, error...); });
  };
  auto const on_last = [&](io::detail::vtkhdf_box const& box) {
    vtkhdf v = boxes();
    if (world.rank() == last) v.add_box(box).add_cell_data("u", u);
    return v;
  };
  refused(0, "no rank has a box", levels());
  for (std::int64_t const level : {0, 1, 2})
    refused(0, ("level " + std::to_string(level) + " has no box").c_str(), boxes("u", level));
  refused(-1, "boxes have 1 to 3 indices", vtkhdf::overlapping_amr({}));
  refused(-1, "a refinement is 1", vtkhdf::overlapping_amr({.spacing = {1}, .refinement = {2, 1}}));
  refused(-1, "is not positive", vtkhdf::overlapping_amr({.spacing = {1, 0}}));
  refused(-1, "is of no box", levels().add_cell_data("u", u));
  refused(-1, "is of points, and VTK shows boxes of 2 indices as one layer",
          boxes().add_point_data("p", u));
  refused(last, "has the level 3, and there are 3 levels", on_last({3, {0, 0}, {6, 6}}));
  refused(last, "and there are 2 indices", on_last({1, {0}, {8}}));
  refused(last, "is no box", on_last({1, {0, -2}, {4, 2}}));
  refused(last, "ends at 2^31 or later", on_last({1, {2147483640, 0}, {8, 2}}));
  refused(last, "does not begin and end with cells of level 0", on_last({1, {3, 0}, {4, 2}}));
  refused(last, "at multiples of 3", on_last({2, {0, 0}, {8, 3}}));
  // A box of the last rank that overlaps with one of the first rank, and one of another level.
  refused(0, "two boxes of level 0 overlap", on_last({0, {3, 1}, {4, 2}}));
  on_last({1, {0, 0}, {4, 2}}).save(world, path);
  std::vector<double>& some = world.rank() == last ? few : u;
  refused(last, "has the shape (7,)",
          levels().add_box({0, {mine, 0}, {4, 2}}).add_cell_data("u", some));
  refused(-1, "of a box is there twice", boxes().add_cell_data("u", nine));
  refused(-1, "of this rank has 'CellData/u' of '<f4'",
          boxes().add_box({1, {0, 4 * mine}, {4, 2}}).add_cell_data("u", single));
  refused(-1, "is not all of the box",
          levels()
              .add_box({0, {mine, 0}, {4, 2}})
              .add_cell_data("u", io::subarray({4, 2}, {2, 2}, {1, 0}, io::type<double>), u));
  if (world.size() > 1)
    refused(0, "and those of rank 1 have 'CellData/v'", boxes(world.rank() == 1 ? "v" : "u"));

  // Steps of other levels.
  boxes().begin_steps(world, path, 0, {.steps = 2});
  auto const add = [&](vtkhdf state, char const* words) {
    check_refused(world, io::errc::argument, -1, words,
                  [&](auto&... error) { state.append_step(world, path, 1, {error...}); });
  };
  add(boxes("u", 3, 0.25), "'VTKHDF/Level0' of the file has another Spacing");
  add(boxes("v"), "give each step the same arrays");
  boxes().append_step(world, path, 1);
  add(boxes(), "the file has room for 2 entries of 'VTKHDF/Steps/Level0/AMRBoxOffsets'");
}
