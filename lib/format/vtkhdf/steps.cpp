// The content of a VTKHDF file, and the place of one more step in it.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/format/detail/vtkhdf_state.hpp>

#include "../literal.hpp"
#include "names.hpp"

namespace argosy::detail {

using namespace vtkhdf_names;

namespace {

// Returns the attributes of grids and levels, which all steps have in common. VTK counts indices
// from the one that runs fastest.
std::vector<hdf5_group> fixed_groups(vtkhdf_state const& state) {
  std::string const root(root_group);
  std::array<double, 3> origin{}, spacing{1, 1, 1};
  if (state.has_boxes()) {
    in_order_of_vtk(state.levels.origin, state.levels.order, origin);
    std::vector<hdf5_group> all{{root, {{"Origin", origin}}}};
    for (std::size_t l = 0; l <= state.levels.refinement.size(); ++l) {
      std::string const group = level_group(l);
      all.push_back({root + "/" + group.substr(0, group.size() - 1),
                     {{"Spacing", spacing_of(state.levels, l)}}});
    }
    return all;
  }
  if (!state.is_image()) return {};
  vtkhdf_grid const& g = state.grid;
  std::array<std::int64_t, 3> points{1, 1, 1};
  in_order_of_vtk(g.points, g.order, points);
  in_order_of_vtk(g.origin, g.order, origin);
  in_order_of_vtk(g.spacing, g.order, spacing);
  return {{root,
           {{"WholeExtent",
             std::array<std::int64_t, 6>{0, points[0] - 1, 0, points[1] - 1, 0, points[2] - 1}},
            {"Origin", origin},
            {"Spacing", spacing},
            {"Direction", std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1}}}}};
}

hdf5_attribute const* attribute_of(hdf5_content const& c, std::string_view group,
                                   std::string_view name) {
  for (hdf5_group const& g : c.groups)
    for (hdf5_attribute const& a : g.attributes)
      if (g.name == group && a.name == name) return &a;
  return nullptr;
}

// Returns the rows of the longest lists of a level.
vtkhdf_lengths rows_of_level(hdf5_content const& found, std::size_t level) {
  vtkhdf_lengths rows;
  std::string const group = std::string(root_group) + "/" + level_group(level);
  auto const look = [&](hdf5_dataset const& d, std::string const& start, std::int64_t& into) {
    if (d.name.starts_with(group + start) && !d.shape.empty()) into = std::max(into, d.shape[0]);
  };
  for (hdf5_dataset const& d : found.datasets) {
    look(d, "AMRBox", rows.boxes);
    look(d, "CellData/", rows.cells);
    look(d, "PointData/", rows.points);
  }
  return rows;
}

}  // namespace

hdf5_content vtkhdf_content(vtkhdf_state const& state, vtkhdf_step const& at,
                            std::vector<vtkhdf_dataset> const& all) {
  hdf5_content c;
  // Boxes in steps have these names from version 2.3 on.
  c.add_group(std::string(root_group),
              {{"Version", std::array<std::int64_t, 2>{2, state.has_boxes() ? 3 : 0}},
               {"Type", state.type}});
  for (hdf5_group& g : fixed_groups(state)) c.add_group(std::move(g.name), std::move(g.attributes));
  if (at.timed) c.add_group(std::string(steps_group), {{"NSteps", std::int64_t{1}}});
  for (vtkhdf_dataset const& d : all) c.datasets.push_back(d.what);
  return c;
}

failure find_vtkhdf_step(hdf5_content const& found, vtkhdf_state const& state, vtkhdf_step& at) {
  hdf5_attribute const* const type = attribute_of(found, root_group, "Type");
  if (!type || !type->text()) return refused("this is no VTKHDF file: it has no attribute Type");
  if (type->text() != state.type)
    return refused("the file has " + *type->text() + ", and the state is " + state.type);
  for (hdf5_group const& g : fixed_groups(state))
    for (hdf5_attribute const& a : g.attributes) {
      hdf5_attribute const* const there = attribute_of(found, g.name, a.name);
      if (!there || *there != a)
        return refused("'" + g.name + "' of the file has another " + a.name +
                       " than that of the state");
    }
  hdf5_attribute const* const number = attribute_of(found, steps_group, "NSteps");
  auto const numbers = number ? number->numbers<std::int64_t>() : std::nullopt;
  if (!numbers || numbers->size() != 1 || numbers->front() < 1)
    return refused("the file has no steps", "make it by begin_steps");
  at.step = numbers->front();
  if (state.is_image()) return {};
  if (state.has_boxes()) {
    for (std::size_t l = 0; l <= state.levels.refinement.size(); ++l)
      at.levels.push_back(rows_of_level(found, l));
    return {};
  }
  auto const rows = [&](std::string const& name, std::int64_t& into) -> failure {
    hdf5_dataset const* const d = found.find(std::string(root_group) + "/" + name);
    if (!d || d->shape.empty()) return refused("the file has no list '" + name + "'");
    into = d->shape[0];
    return {};
  };
  if (failure why = rows("NumberOfPoints", at.part)) return why;
  if (failure why = rows("Points", at.start.points)) return why;
  for (std::size_t t = 0; t < state.cells.size(); ++t) {
    std::string const group = state.cells.size() == 1 ? "" : cells_of(4, t) + "/";
    if (failure why = rows(group + "Connectivity", at.start.corners[t])) return why;
    if (failure why = rows(group + "Offsets", at.start.cells[t])) return why;
    // The offsets begin behind all cells and parts before, and behind one unused offset. VTK counts
    // parts until they have this many cells, so that it counts those without cells, too.
    at.start.cells[t] += 1 - at.part;
  }
  return {};
}

failure fault_of_vtkhdf(hdf5_content const& found, std::vector<vtkhdf_dataset> const& all) {
  std::size_t theirs = 0;
  for (hdf5_dataset const& d : found.datasets) {
    if (!d.name.starts_with(std::string(root_group) + "/")) continue;
    ++theirs;
    if (std::ranges::find(all, d.name, [](auto const& a) { return a.what.name; }) == all.end())
      return refused("the file has '" + d.name + "', and the state has not",
                     "give each step the same arrays");
  }
  if (theirs != all.size())
    for (vtkhdf_dataset const& d : all)
      if (!found.find(d.what.name))
        return refused("the state has '" + d.what.name + "', and the file has not",
                       "give each step the same arrays");
  if (theirs != all.size()) return refused("an array of the state is there twice");
  for (vtkhdf_dataset const& d : all) {
    hdf5_dataset const& there = *found.find(d.what.name);
    std::vector<std::int64_t> shape = there.shape;
    if (!shape.empty()) shape[0] = d.what.shape[0];
    if (there.type != d.what.type || shape != d.what.shape)
      return refused("'" + d.what.name + "' is " + to_string(there.type) + " " +
                     python_tuple(there.shape) + " in the file, and " + to_string(d.what.type) +
                     " " + python_tuple(d.what.shape) + " with this step");
    if (d.what.shape[0] > there.options.most)
      return refused("the file has room for " + std::to_string(there.options.most) +
                         " entries of '" + d.what.name + "', and not for " +
                         std::to_string(d.what.shape[0]),
                     "begin another file, or give begin_steps more room");
  }
  return {};
}

}  // namespace argosy::detail
