// The datasets of VTKHDF files.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include <argosy/format/detail/saved_value.hpp>
#include <argosy/format/detail/vtkhdf_state.hpp>

#include "../any_array.hpp"
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

// Returns rows of numbers that are known at run time only, as a part of which they are all.
array_part numbers_of(vtkhdf_kind const& kind, std::int64_t rows) {
  std::vector<std::int64_t> shape{rows};
  if (kind.columns > 0) shape.push_back(kind.columns);
  return part_of(shape, order::c, any_element_of(kind.type), everything_of(shape));
}

class datasets {
 public:
  datasets(vtkhdf_state const& state, vtkhdf_here const& here, vtkhdf_step const& at,
           hdf5_content const& found)
      : state_(state), here_(here), at_(at), found_(found) {}

  std::vector<vtkhdf_dataset> made() && {
    if (state_.is_image())
      for (std::size_t i = 0; i < here_.arrays.size(); ++i) add_image(i);
    else if (state_.has_boxes())
      for (std::size_t l = 0; l <= state_.levels.refinement.size(); ++l) add_level(l);
    else
      add_parts();
    for (std::size_t i = 0; i < here_.fields.size(); ++i) add_field(i);
    if (at_.timed) add_steps();
    return std::move(all_);
  }

 private:
  void add_image(std::size_t i);
  void add_parts();
  void add_cells(std::size_t t);
  void add_level(std::size_t level);
  void add_blocks(std::size_t level, vtkhdf_kind const& kind, std::int64_t first, std::int64_t rows,
                  std::int64_t rows_of_step);
  void add_field(std::size_t i);
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
  // An element of the program's data is a row, or a number of it.
  std::int64_t const columns = product_of(std::span(d.what.shape).subspan(1)),
                     items = data.part.types().size() / d.what.type.bytes;
  d.part = behind(data.part, d.what.type, d.what.shape, first * columns / items);
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

// Adds an array of the boxes of a level. This rank's boxes of the level lie one behind the other.
void datasets::add_blocks(std::size_t level, vtkhdf_kind const& kind, std::int64_t first,
                          std::int64_t rows, std::int64_t rows_of_step) {
  std::vector<vtkhdf_data> blocks;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < state_.arrays.size(); ++i) {
    vtkhdf_array const& a = state_.arrays[i];
    if (a.name != kind.name || state_.boxes[a.boxes - 1].level != static_cast<std::int64_t>(level))
      continue;
    blocks.push_back(here_.arrays[i]);
    bytes += blocks.back().part.part_bytes();
  }
  std::int64_t const row =
      any_element_of(kind.type).type.bytes * std::max<std::int64_t>(1, kind.columns);
  add_rows(level_group(level) + kind.name, {numbers_of(kind, bytes / row), source()}, first, rows,
           rows_of_step);
  all_.back().in_blocks = true;
  all_.back().blocks = std::move(blocks);
}

void datasets::add_level(std::size_t level) {
  vtkhdf_lengths before, all;
  vtkhdf_lengths const start = at_.levels.empty() ? vtkhdf_lengths() : at_.levels[level];
  std::vector<std::int64_t> corners;
  for (vtkhdf_placed_box const& b : here_.all.boxes) {
    if (b.level != static_cast<std::int64_t>(level)) continue;
    all.add(b);
    if (b.rank < at_.rank) before.add(b);
    if (b.rank == at_.rank)
      for (std::size_t k = 0; k < 3; ++k) corners.insert(corners.end(), {b.first[k], b.last[k]});
  }
  std::string const group = level_group(level);
  add_own<6>(group + "AMRBox", std::move(corners), start.boxes + before.boxes,
             start.boxes + all.boxes, std::max(all.boxes, smallest_step));
  for (vtkhdf_kind const& k : here_.all.kinds)
    if (k.of_cells())
      add_blocks(level, k, start.cells + before.cells, start.cells + all.cells,
                 std::max(all.cells, smallest_step));
    else
      add_blocks(level, k, start.points + before.points, start.points + all.points,
                 std::max(all.points, smallest_step));
  if (!at_.timed) return;
  add_of_step(group + "AMRBoxOffsets", start.boxes);
  add_of_step(group + "NumberOfAMRBoxes", all.boxes);
  for (vtkhdf_kind const& k : here_.all.kinds) {
    std::string name = k.name;
    name.insert(name.find('/'), "Offsets");
    add_of_step(group + name, k.of_cells() ? start.cells : start.points);
  }
}

// Adds field data, which rank 0 writes.
void datasets::add_field(std::size_t i) {
  std::string const& name = state_.fields[i].name;
  vtkhdf_data const& from = here_.fields[i];
  hdf5_dataset const* const there = found_.find(std::string(root_group) + "/" + name);
  std::int64_t const n = from.part.shape()[0],
                     start = there && !there->shape.empty() ? there->shape[0] : 0;
  vtkhdf_kind const kind{.name = name, .type = to_string(from.part.type())};
  add_rows(name, at_.rank == 0 ? from : vtkhdf_data{numbers_of(kind, 0), source()}, start,
           start + n, std::max<std::int64_t>(1, n));
  if (!at_.timed) return;
  std::string const own = name.substr(name.find('/'));
  add_of_step("FieldDataOffsets" + own, start);
  std::vector<std::int64_t> sizes;  // VTK leaves out an array of the size (0, 0)
  if (at_.rank == 0) sizes = {n == 0 ? 0 : 1, n};
  add_own<2>("Steps/FieldDataSizes" + own, std::move(sizes), at_.step, at_.step + 1, 1);
}

void datasets::add_steps() {
  vtkhdf_step const& at = at_;
  std::vector<double> time;
  if (at.rank == 0) time = {at.time};
  add_rows("Steps/Values", {list_of<double>(std::ssize(time)), source(time)}, at.step, at.step + 1,
           1);
  all_.back().times = std::move(time);
  if (state_.is_image() || state_.has_boxes()) return;
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

}  // namespace

std::vector<vtkhdf_dataset> vtkhdf_datasets(vtkhdf_state const& state, vtkhdf_here const& here,
                                            vtkhdf_step const& at, hdf5_content const& found) {
  return datasets(state, here, at, found).made();
}

}  // namespace argosy::detail
