// The datasets of VTKHDF files.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include <argosy/format/detail/saved_value.hpp>
#include <argosy/format/detail/vtkhdf_state.hpp>

#include "../literal.hpp"
#include "names.hpp"

namespace argosy::detail {

using namespace vtkhdf_names;

namespace {

constexpr std::int64_t most_chunk_bytes = std::int64_t{1} << 30, row_chunk_bytes = 1 << 20;
constexpr std::int64_t smallest_step = 1024;  // room for points and cells that come later

std::int64_t product_of(std::span<std::int64_t const> sizes) {
  std::int64_t all = 1;
  for (std::int64_t const n : sizes) all *= n;
  return all;
}

// Returns a part of a larger array: its elements lie behind `before` other ones.
array_part behind(array_part const& part, extend::dtype type, std::vector<std::int64_t> shape,
                  std::int64_t before) {
  return part_of(std::move(shape), order::c, {std::move(type)}, part.types(),
                 [part, before](layout const& element) {
                   return argosy::at(before * element.extent(), part.form(element));
                 });
}

class datasets {
 public:
  datasets(vtkhdf_state const& state, vtkhdf_here const& here, vtkhdf_step const& at,
           hdf5_content const& found)
      : state_(state), here_(here), at_(at), found_(found) {}

  std::vector<vtkhdf_dataset> made() && {
    if (state_.is_image())
      for (std::size_t i = 0; i < here_.arrays.size(); ++i) add_image(i);
    else
      add_parts();
    if (at_.timed) add_steps();
    return std::move(all_);
  }

 private:
  void add_image(std::size_t i);
  void add_parts();
  void add_cells(std::size_t t);
  void add_steps();
  void add_rows(std::string const& name, vtkhdf_data data, std::int64_t first, std::int64_t rows,
                std::int64_t rows_of_step);
  // Adds rows that the program does not have. Each is `columns` numbers.
  template <std::size_t Columns = 1>
  void add_own(std::string const& name, std::vector<std::int64_t> own, std::int64_t first,
               std::int64_t rows, std::int64_t rows_of_step);
  // Adds a number of this rank's part, and zero for a part without points.
  void add_of_part(std::string const& name, std::int64_t number) {
    std::vector<std::int64_t> own{number};
    if (at_.parts > at_.ranks) own.push_back(0);
    add_own(name, std::move(own), at_.part + at_.rank, at_.part + at_.parts, at_.parts);
  }
  void add_of_step(std::string const& name, std::int64_t number) {
    if (at_.rank == 0)
      add_own("Steps/" + name, {number}, at_.step, at_.step + 1, 1);
    else
      add_own("Steps/" + name, {}, at_.step, at_.step + 1, 1);
  }

  vtkhdf_state const& state_;
  vtkhdf_here const& here_;
  vtkhdf_step const& at_;
  hdf5_content const& found_;
  std::vector<vtkhdf_dataset> all_;
};

void datasets::add_image(std::size_t i) {
  vtkhdf_dataset d;
  vtkhdf_data const& from = here_.arrays[i];
  std::vector<std::int64_t> shape = file_shape_of(from.part, d.what.type);
  std::int64_t const items = from.part.types().size() / from.part.type().bytes,
                     elements = product_of(from.part.shape()) / items;
  d.what.name = std::string(root_group) + "/" + state_.arrays[i].name;
  if (at_.timed) {
    shape.insert(shape.begin(), at_.step + 1);
    d.what.options.most = at_.room.steps;
    d.what.options.chunks = shape;
    std::int64_t bytes = d.what.type.bytes;
    for (std::size_t k = shape.size(); k-- > 0;) {
      d.what.options.chunks[k] = std::clamp<std::int64_t>(
          k == 0 ? 1 : shape[k], 1, std::max<std::int64_t>(1, most_chunk_bytes / bytes));
      bytes *= d.what.options.chunks[k];
    }
  }
  d.what.shape = shape;
  d.part = behind(from.part, d.what.type, shape, at_.step * elements);
  d.data = from.data;
  all_.push_back(std::move(d));
}

void datasets::add_rows(std::string const& name, vtkhdf_data data, std::int64_t first,
                        std::int64_t rows, std::int64_t rows_of_step) {
  vtkhdf_dataset d;
  d.what.name = std::string(root_group) + "/" + name;
  d.what.shape = file_shape_of(data.part, d.what.type);
  d.what.shape[0] = rows;
  if (at_.timed) {
    double const room =
        static_cast<double>(at_.room.steps) * at_.room.growth * static_cast<double>(rows_of_step);
    bool const of_step = name.starts_with("Steps/");
    d.what.options.most =
        of_step ? at_.room.steps : static_cast<std::int64_t>(std::ceil(std::min(room, 0x1p59)));
    d.what.options.most = std::max(d.what.options.most, rows);
    d.what.options.chunks = d.what.shape;
    std::int64_t bytes = d.what.type.bytes;
    for (std::size_t k = 1; k < d.what.shape.size(); ++k) bytes *= d.what.shape[k];
    d.what.options.chunks[0] = std::max<std::int64_t>(1, row_chunk_bytes / bytes);
    if (hdf5_dataset const* const there = found_.find(d.what.name))
      if (there->shape.size() == d.what.shape.size())
        d.what.shape[0] = std::max(rows, there->shape[0]);
  }
  d.part = behind(data.part, d.what.type, d.what.shape, first);
  d.data = std::move(data.data);
  all_.push_back(std::move(d));
}

template <std::size_t Columns>
void datasets::add_own(std::string const& name, std::vector<std::int64_t> own, std::int64_t first,
                       std::int64_t rows, std::int64_t rows_of_step) {
  auto const mine = std::ssize(own) / static_cast<std::int64_t>(Columns);
  auto part = [&] {
    if constexpr (Columns == 1)
      return list_of<std::int64_t>(mine);
    else
      return list_of<std::array<std::int64_t, Columns>>(mine);
  }();
  add_rows(name, {std::move(part), source(own)}, first, rows, rows_of_step);
  all_.back().own = std::move(own);  // a move does not move the numbers
}

void datasets::add_parts() {
  vtkhdf_step const& at = at_;
  std::int64_t cells = 0, cells_before = 0, all_cells = 0;
  for (std::size_t t = 0; t < here_.cells.size(); ++t) {
    cells += at.start.cells[t];
    cells_before += at.before.cells[t];
    all_cells += at.all.cells[t];
  }
  std::int64_t const usual_points = std::max(at.all.points, smallest_step),
                     usual_cells = std::max(all_cells, smallest_step) + std::ssize(here_.cells);
  add_of_part("NumberOfPoints", at.mine.points);
  for (std::size_t i = 0; i < here_.arrays.size(); ++i) {
    if (state_.arrays[i].of_cells)
      add_rows(state_.arrays[i].name, here_.arrays[i], cells + cells_before, cells + all_cells,
               usual_cells);
    else
      add_rows(state_.arrays[i].name, here_.arrays[i], at.start.points + at.before.points,
               at.start.points + at.all.points, usual_points);
  }
  for (std::size_t t = 0; t < here_.cells.size(); ++t) add_cells(t);
  if (state_.type == "UnstructuredGrid")
    add_rows("Types", {list_of<std::uint8_t>(std::ssize(state_.types)), source(state_.types)},
             cells + cells_before, cells + all_cells, usual_cells);
}

void datasets::add_cells(std::size_t t) {
  static constexpr std::int64_t no_cells[] = {0};
  vtkhdf_step const& at = at_;
  std::string const group = here_.cells.size() == 1 ? "" : cells_of(4, t) + "/";
  vtkhdf_list const& mine = here_.cells[t];
  std::span<std::int64_t const> const offsets =
      mine.offsets.empty() ? std::span<std::int64_t const>(no_cells) : mine.offsets;
  std::int64_t const corners = at.start.corners[t], cells = at.start.cells[t];
  add_of_part(group + "NumberOfCells", at.mine.cells[t]);
  add_of_part(group + "NumberOfConnectivityIds", at.mine.corners[t]);
  add_rows(group + "Connectivity",
           {list_of<std::int64_t>(std::ssize(mine.corners)), source(mine.corners)},
           corners + at.before.corners[t], corners + at.all.corners[t],
           std::max(at.all.corners[t], smallest_step));
  // Each part has one offset more than cells.
  std::int64_t const first = cells + at.before.cells[t] + at.part + at.rank,
                     rows = cells + at.all.cells[t] + at.part + at.parts,
                     usual = std::max(at.all.cells[t], smallest_step) + at.parts + 1;
  if (at.parts == at.ranks)
    return add_rows(group + "Offsets",
                    {list_of<std::int64_t>(std::ssize(offsets)), source(offsets)}, first, rows,
                    usual);
  std::vector<std::int64_t> own(offsets.begin(), offsets.end());
  own.push_back(0);
  add_own(group + "Offsets", std::move(own), first, rows, usual);
}

void datasets::add_steps() {
  vtkhdf_step const& at = at_;
  std::vector<double> time;
  if (at.rank == 0) time = {at.time};
  add_rows("Steps/Values", {list_of<double>(std::ssize(time)), source(time)}, at.step, at.step + 1,
           1);
  all_.back().times = std::move(time);
  if (state_.is_image()) return;
  add_of_step("PartOffsets", at.part);
  add_of_step("NumberOfParts", at.parts);
  add_of_step("PointOffsets", at.start.points);
  auto const of_lists = [&](char const* name, std::array<std::int64_t, 4> const& all) {
    std::vector<std::int64_t> own;
    if (at.rank == 0) own.assign(all.begin(), all.begin() + std::ssize(here_.cells));
    if (here_.cells.size() == 1)
      add_own(name, std::move(own), at.step, at.step + 1, 1);
    else
      add_own<4>(name, std::move(own), at.step, at.step + 1, 1);
  };
  of_lists("Steps/CellOffsets", at.start.cells);
  of_lists("Steps/ConnectivityIdOffsets", at.start.corners);
}

// Returns the attributes of image data. VTK counts indices from the one that runs fastest.
std::vector<hdf5_attribute> attributes_of(vtkhdf_grid const& g) {
  std::array<std::int64_t, 6> extent{};
  std::array<double, 3> origin{}, spacing{1, 1, 1};
  for (std::size_t k = 0; k < g.points.size(); ++k) {
    std::size_t const i = g.order == order::c ? g.points.size() - 1 - k : k;
    extent[2 * k + 1] = g.points[i] - 1;
    if (!g.origin.empty()) origin[k] = g.origin[i];
    if (!g.spacing.empty()) spacing[k] = g.spacing[i];
  }
  return {{"WholeExtent", extent},
          {"Origin", origin},
          {"Spacing", spacing},
          {"Direction", std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
}

hdf5_attribute const* attribute_of(hdf5_content const& c, std::string_view group,
                                   std::string_view name) {
  for (hdf5_group const& g : c.groups)
    for (hdf5_attribute const& a : g.attributes)
      if (g.name == group && a.name == name) return &a;
  return nullptr;
}

}  // namespace

std::vector<vtkhdf_dataset> vtkhdf_datasets(vtkhdf_state const& state, vtkhdf_here const& here,
                                            vtkhdf_step const& at, hdf5_content const& found) {
  return datasets(state, here, at, found).made();
}

hdf5_content vtkhdf_content(vtkhdf_state const& state, vtkhdf_step const& at,
                            std::vector<vtkhdf_dataset> const& all) {
  hdf5_content c;
  c.add_group(std::string(root_group),
              {{"Version", std::array<std::int64_t, 2>{2, 0}}, {"Type", state.type}});
  if (state.is_image()) c.add_group(std::string(root_group), attributes_of(state.grid));
  if (at.timed) c.add_group(std::string(steps_group), {{"NSteps", std::int64_t{1}}});
  for (vtkhdf_dataset const& d : all) c.datasets.push_back(d.what);
  return c;
}

failure find_vtkhdf_step(hdf5_content const& found, vtkhdf_state const& state, vtkhdf_step& at) {
  auto const refuse = [](std::string words, std::string advice = {}) -> failure {
    return {errc::argument, std::move(words), std::move(advice)};
  };
  hdf5_attribute const* const type = attribute_of(found, root_group, "Type");
  if (!type || !type->text()) return refuse("this is no VTKHDF file: it has no attribute Type");
  if (type->text() != state.type)
    return refuse("the file has " + *type->text() + ", and the state is " + state.type);
  if (state.is_image())
    for (hdf5_attribute const& a : attributes_of(state.grid)) {
      hdf5_attribute const* const there = attribute_of(found, root_group, a.name);
      if (!there || *there != a)
        return refuse("the grid of the file has another " + a.name + " than that of the state");
    }
  hdf5_attribute const* const number = attribute_of(found, steps_group, "NSteps");
  auto const numbers = number ? number->numbers<std::int64_t>() : std::nullopt;
  if (!numbers || numbers->size() != 1 || numbers->front() < 1)
    return refuse("the file has no steps", "make it by begin_steps");
  at.step = numbers->front();
  if (state.is_image()) return {};
  auto const rows = [&](std::string const& name, std::int64_t& into) -> failure {
    hdf5_dataset const* const d = found.find(std::string(root_group) + "/" + name);
    if (!d || d->shape.empty()) return refuse("the file has no list '" + name + "'");
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
  auto const refuse = [](std::string words, std::string advice = {}) -> failure {
    return {errc::argument, std::move(words), std::move(advice)};
  };
  std::size_t theirs = 0;
  for (hdf5_dataset const& d : found.datasets) {
    if (!d.name.starts_with(std::string(root_group) + "/")) continue;
    ++theirs;
    if (std::ranges::find(all, d.name, [](auto const& a) { return a.what.name; }) == all.end())
      return refuse("the file has '" + d.name + "', and the state has not",
                    "give each step the same arrays");
  }
  if (theirs != all.size())
    for (vtkhdf_dataset const& d : all)
      if (!found.find(d.what.name))
        return refuse("the state has '" + d.what.name + "', and the file has not",
                      "give each step the same arrays");
  if (theirs != all.size()) return refuse("an array of the state is there twice");
  for (vtkhdf_dataset const& d : all) {
    hdf5_dataset const& there = *found.find(d.what.name);
    std::vector<std::int64_t> shape = there.shape;
    if (!shape.empty()) shape[0] = d.what.shape[0];
    if (there.type != d.what.type || shape != d.what.shape)
      return refuse("'" + d.what.name + "' is " + to_string(there.type) + " " +
                    python_tuple(there.shape) + " in the file, and " + to_string(d.what.type) +
                    " " + python_tuple(d.what.shape) + " with this step");
    if (d.what.shape[0] > there.options.most)
      return refuse("the file has room for " + std::to_string(there.options.most) +
                        " entries of '" + d.what.name + "', and not for " +
                        std::to_string(d.what.shape[0]),
                    "begin another file, or give begin_steps more room");
  }
  return {};
}

}  // namespace argosy::detail
