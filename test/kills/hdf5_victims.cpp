// Implements victims.hpp: programs that save HDF5 files, write to them, and add steps to HDF5 and
// VTKHDF files.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/argosy.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/format/leftovers.hpp>
#include <argosy/format/vtkhdf.hpp>

#include "rows.hpp"
#include "victims.hpp"

namespace argosy::kills {

namespace {

using hdf5_alone = basic_hdf5<self>;

std::string file_in(std::string const& directory) { return directory + "/run.h5"; }
std::string steps_in(std::string const& directory) { return directory + "/run.vtkhdf"; }

hdf5_options filters_of(std::int64_t round) {
  hdf5_options how{.most = most_steps};
  if (round % 3 != 0) how.chunks = {1, 700};  // parts of ranks cut chunks
  if (round % 3 == 2) how.filters = {hdf5_filter::fletcher32()};
  return how;
}

// Makes a file with one step.
template <class World>
void save_hdf5(World const& world, std::string const& directory, int round,
               hdf5_options const& how) {
  int const rank = world.rank(), ranks = world.size();
  hdf5_content c;
  c.add("u", columns(rank, ranks, 0, 1, 1), how).add_group("", {{"steps", std::int64_t{1}}});
  auto f = basic_hdf5<World>::create(world, file_in(directory), c);
  std::vector<double> const u = values(rank, ranks, 1, round);
  f.write_all("u", columns(rank, ranks, 0, 1, 1), u);
  f.close();
}

void prepare_hdf5(std::string const& directory) {
  save_hdf5(self(), directory, 0, {.most = most_steps});
}

// Returns the attribute of a group that counts steps, or -1.
std::int64_t steps_of(hdf5_content const& c, std::string_view group, std::string_view name) {
  for (hdf5_group const& g : c.groups)
    for (hdf5_attribute const& a : g.attributes)
      if (g.name == group && a.name == name)
        if (auto const numbers = a.numbers<std::int64_t>()) return numbers->at(0);
  return -1;
}

// Returns the round of a row, or -1 if it is not whole.
std::int64_t round_of_row(double const* row) {
  auto const round = static_cast<std::int64_t>(row[0] / round_step);
  for (std::int64_t i = 0; i < width; ++i)
    if (row[i] != static_cast<double>(i) + round_step * static_cast<double>(round)) return -1;
  return round;
}

struct hdf5_found {
  hdf5_content content;
  std::int64_t steps = 0;
  std::vector<double> values;  // the rows that are valid
};

hdf5_found read_file(std::string const& directory) {
  self const alone;
  auto f = hdf5_alone::open(alone, file_in(directory));
  hdf5_found all{f.content(), steps_of(f.content(), "", "steps"), {}};
  std::int64_t const rows = f.content().find("u")->shape.at(0);
  if (all.steps >= 1 && all.steps <= rows) {
    all.values.resize(static_cast<std::size_t>(all.steps * width));
    f.read_all("u", columns(0, 1, 0, all.steps, rows), all.values);
  }
  f.close();
  return all;
}

std::string fault_of_parts(std::string const& path) {
  for (leftover const& one : remove_leftovers(path))
    if (!one.kept.empty() && one.bytes > 0) return one.path + " is left: " + one.kept;
  return {};
}

// All valid rows are whole.
std::string fault_of_rows(hdf5_found const& f, int last) {
  if (f.values.empty()) return "the file says that it has " + std::to_string(f.steps) + " steps";
  for (std::int64_t step = 0; step < f.steps; ++step) {
    std::int64_t const round = round_of_row(f.values.data() + step * width);
    if (round < 0 || round > last)
      return "step " + std::to_string(step) + " is of round " + std::to_string(round);
  }
  return {};
}

std::string fault_of_saved_hdf5(std::string const& directory, int last) {
  hdf5_found const f = read_file(directory);
  std::string fault = fault_of_rows(f, last);
  if (!fault.empty()) return fault;
  auto const round = static_cast<std::int64_t>(f.values[0] / round_step);
  hdf5_options const& how = f.content.find("u")->options;
  if (round > 0 && how.filters != filters_of(round).filters)
    return "the file of round " + std::to_string(round) + " has the filters of another one";
  return fault_of_parts(file_in(directory));
}

std::string fault_of_grown_hdf5(std::string const& directory, int last) {
  std::string const fault = fault_of_rows(read_file(directory), last);
  return fault.empty() ? fault_of_parts(file_in(directory)) : fault;
}

// Each number is one that a rank wrote.
std::string fault_of_changed_hdf5(std::string const& directory, int last) {
  hdf5_found const f = read_file(directory);
  for (std::size_t i = 0; i < f.values.size(); ++i) {
    double const round = (f.values[i] - static_cast<double>(i)) / round_step;
    if (round < 0 || round > last || round != static_cast<int>(round))
      return "number " + std::to_string(i) + " is one that no rank wrote";
  }
  return f.values.empty() ? "the file has no step" : "";
}

// --- Steps for ParaView --------------------------------------------------------------------------

// The points of a rank change from round to round, and all have the time as value.
struct cloud {
  std::vector<std::array<double, 3>> points;
  std::vector<double> u;

  cloud(int rank, int round)
      : points(static_cast<std::size_t>(100 + 50 * ((rank + round) % 3))), u(points.size(), round) {
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i] = {static_cast<double>(i), static_cast<double>(rank), static_cast<double>(round)};
  }
};

template <class World>
void begin_steps(World const& world, std::string const& directory, int round) {
  cloud const c(world.rank(), round);
  basic_vtkhdf<World>::poly_data(c.points).add_point_data("u", c.u).begin_steps(
      world, steps_in(directory), round, {.steps = most_steps, .growth = 3});
}

void prepare_steps(std::string const& directory) { begin_steps(self(), directory, 0); }

std::string fault_of_steps(std::string const& directory, int last) {
  self const alone;
  auto f = hdf5_alone::open(alone, steps_in(directory));
  hdf5_content const& c = f.content();
  std::int64_t const steps = steps_of(c, "VTKHDF/Steps", "NSteps");
  if (steps < 1 || steps > most_steps) return "there are " + std::to_string(steps) + " steps";
  auto const list = [&](std::string const& name, auto zero) {
    std::int64_t const n = c.find(name)->shape.at(0);
    std::vector<decltype(zero)> all(static_cast<std::size_t>(n));
    f.read_all(name, subarray({n}, {n}, {0}, type<decltype(zero)>), all);
    return all;
  };
  auto const times = list("VTKHDF/Steps/Values", 0.0);
  auto const first = list("VTKHDF/Steps/PointOffsets", std::int64_t{0});
  auto const u = list("VTKHDF/PointData/u", 0.0);
  f.close();
  if (std::ssize(times) < steps || std::ssize(first) < steps) return "a list of steps is too short";
  for (std::int64_t s = 0; s < steps; ++s) {
    auto const i = static_cast<std::size_t>(s);
    if (times[i] > last || (s > 0 && times[i] <= times[i - 1])) return "the times are not in order";
    // Each step has 100 points or more.
    auto const at = static_cast<std::size_t>(first[i]);
    if (at + 100 > u.size()) return "points of step " + std::to_string(s) + " are missing";
    std::size_t const end = s + 1 < steps ? static_cast<std::size_t>(first[i + 1]) : at + 100;
    if (std::any_of(u.begin() + static_cast<std::ptrdiff_t>(at),
                    u.begin() + static_cast<std::ptrdiff_t>(end),
                    [&](double x) { return x != times[i]; }))
      return "step " + std::to_string(s) + " has values of another one";
  }
  return fault_of_parts(steps_in(directory));
}

// --- The programs --------------------------------------------------------------------------------

void save_file(mpi const& world, std::string const& directory, int round) {
  save_hdf5(world, directory, round, filters_of(round));
}

void change_file(mpi const& world, std::string const& directory, int round) {
  auto f = hdf5::open(world, file_in(directory), mode::read_write);
  std::vector<double> const u = values(world.rank(), world.size(), 1, round);
  f.write_all("u", columns(world.rank(), world.size(), 0, 1, 1), u);
  f.close();
}

void grow_file(mpi const& world, std::string const& directory, int round) {
  auto f = hdf5::open(world, file_in(directory), mode::read_write);
  std::int64_t const steps = steps_of(f.content(), "", "steps");
  std::int64_t const there = f.content().find("u")->shape.at(0), rows = std::max(steps + 1, there);
  if (rows > most_steps) {
    f.close();
    return save_hdf5(world, directory, round, {.most = most_steps});
  }
  if (rows > there) f.grow("u", rows);  // a kill may have left a row that is not valid
  std::vector<double> const u = values(world.rank(), world.size(), 1, round);
  f.write_all("u", columns(world.rank(), world.size(), steps, 1, rows), u);
  f.set_attribute("", {"steps", steps + 1});
  f.close();
}

void append_step(mpi const& world, std::string const& directory, int round) {
  auto const found = hdf5::content_of(world, steps_in(directory));
  if (steps_of(found, "VTKHDF/Steps", "NSteps") >= most_steps)
    return begin_steps(world, directory, round);
  cloud const c(world.rank(), round);
  vtkhdf::poly_data(c.points).add_point_data("u", c.u).append_step(world, steps_in(directory),
                                                                   round);
}

}  // namespace

std::vector<victim> hdf5_victims() {
  return {
      {"hdf5_saves", "hdf5::create, write_all, close", save_file, prepare_hdf5,
       fault_of_saved_hdf5},
      {"hdf5_writes", "hdf5::open, write_all, close", change_file, prepare_hdf5,
       fault_of_changed_hdf5},
      {"hdf5_grows", "hdf5::open, grow, write_all, set_attribute, close", grow_file, prepare_hdf5,
       fault_of_grown_hdf5},
      {"vtkhdf_steps", "vtkhdf::append_step, begin_steps", append_step, prepare_steps,
       fault_of_steps},
  };
}

}  // namespace argosy::kills
