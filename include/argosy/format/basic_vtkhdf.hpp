// A state of a simulation for a VTKHDF file, which VTK and ParaView open. The ranks of a world
// write it together, step by step, without the library of HDF5.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/file/hinted.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/basic_hdf5.hpp>
#include <argosy/format/detail/vtkhdf_state.hpp>

namespace argosy {

// A state: a grid, points or boxes, and arrays. `io::vtkhdf` is this class on MPI: vtkhdf.hpp.
//   io::vtkhdf run = io::vtkhdf::image_data({.points = {nz, ny, nx}, .spacing = {dz, dy, dx}});
//   run.add_point_data("temperature", tile, u);
//   run.begin_steps(world, "run.vtkhdf", 0.0);         // a new file
//   ...
//   run.append_step(world, "run.vtkhdf", time);        // after each further step
// Data is referred to, and must exist when it is written. Numbers are integers and floating point
// of up to 8 bytes; an array of them is a vector or a tensor. Names have no / and no dot.
template <communicator World>
class basic_vtkhdf {
 public:
  // Makes a regular grid. Arrays of its points have the size of the grid, arrays of its cells one
  // less along each index.
  static basic_vtkhdf image_data(detail::vtkhdf_grid grid) {
    basic_vtkhdf v("ImageData");
    v.state_.grid = std::move(grid);
    return v;
  }
  // Makes cells of any types from this rank's points, which are double[3] or float[3]. Each rank
  // has its own points and cells; they are one partition of the file.
  template <detail::vtkhdf_range Points, class Choice = detail::vtkhdf_element<Points>>
  static basic_vtkhdf unstructured_grid(Points&& points, detail::vtkhdf_cells cells,
                                        Choice choice = {}) {
    basic_vtkhdf v("UnstructuredGrid", std::forward<Points>(points), choice);
    v.state_.cells = {{cells.corners, cells.offsets}};
    v.state_.types = cells.types;
    return v;
  }
  // Makes vertices, lines, polygons and strips of triangles. Without cells, each point is a vertex.
  //   io::vtkhdf::poly_data(particles, io::members<&particle::x>{})
  template <detail::vtkhdf_range Points, class Choice = detail::vtkhdf_element<Points>>
  static basic_vtkhdf poly_data(Points&& points, detail::vtkhdf_poly cells, Choice choice = {}) {
    basic_vtkhdf v("PolyData", std::forward<Points>(points), choice);
    v.state_.cells = {cells.vertices, cells.lines, cells.polygons, cells.strips};
    return v;
  }
  template <detail::vtkhdf_range Points, class Choice = detail::vtkhdf_element<Points>>
  static basic_vtkhdf poly_data(Points&& points, Choice choice = {}) {
    basic_vtkhdf v("PolyData", std::forward<Points>(points), choice);
    v.state_.cells.resize(4);
    v.state_.points_are_vertices = true;
    return v;
  }
  // Makes levels of boxes of cells, of which each is finer than the one before: overlapping AMR.
  // Each level has a box on some rank.
  //   auto run = io::vtkhdf::overlapping_amr({.spacing = {h, h, h}, .refinement = {2, 4}});
  //   for (block const& b : mine)
  //     run.add_box({b.level, b.first, b.cells}).add_cell_data("u", b.u);
  static basic_vtkhdf overlapping_amr(detail::vtkhdf_levels levels) {
    basic_vtkhdf v("OverlappingAMR");
    v.state_.levels = std::move(levels);
    return v;
  }
  // Adds a box of this rank. Local. Arrays that are added next are of its cells or points, until
  // there is another box. Each box of any rank has the same arrays.
  basic_vtkhdf& add_box(detail::vtkhdf_box box) {
    state_.boxes.push_back(std::move(box));
    return *this;
  }

  // Adds an array of image data, of which `part` is this rank's part. Local. For a box, `part` is
  // an array of the size of the box, and all of it.
  template <class Data>
  basic_vtkhdf& add_point_data(std::string name, array_part part, Data&& data) {
    return add(std::move(name), false, std::move(part), std::forward<Data>(data));
  }
  template <class Data>
  basic_vtkhdf& add_cell_data(std::string name, array_part part, Data&& data) {
    return add(std::move(name), true, std::move(part), std::forward<Data>(data));
  }
  // Adds an array of this rank's points or cells, or of those of a box. Local. It has one element
  // for each. `choice` is a member of the elements.
  template <detail::vtkhdf_range Data, class Choice = detail::vtkhdf_element<Data>>
  basic_vtkhdf& add_point_data(std::string name, Data&& data, Choice choice = {}) {
    return add(std::move(name), false, detail::vtkhdf_now(std::forward<Data>(data), choice));
  }
  template <detail::vtkhdf_range Data, class Choice = detail::vtkhdf_element<Data>>
  basic_vtkhdf& add_cell_data(std::string name, Data&& data, Choice choice = {}) {
    return add(std::move(name), true, detail::vtkhdf_now(std::forward<Data>(data), choice));
  }
  // Adds numbers that are of no point or cell, such as the number of a cycle. Local. They are a
  // number or a list of numbers, equal on all ranks. Each step has its own.
  template <detail::vtkhdf_range Data>
  basic_vtkhdf& add_field_data(std::string name, Data&& data) {
    state_.fields.push_back(
        {"FieldData/" + std::move(name), false,
         detail::vtkhdf_now(std::forward<Data>(data), detail::vtkhdf_element<Data>())});
    return *this;
  }
  template <class Number>
    requires std::is_arithmetic_v<std::remove_cvref_t<Number>>
  basic_vtkhdf& add_field_data(std::string name, Number&& number) {
    state_.fields.push_back({"FieldData/" + std::move(name), false,
                             detail::vtkhdf_number(std::forward<Number>(number))});
    return *this;
  }

  // Saves the state in a file of its own. Collective. Throws errc::argument if the state cannot be
  // shown, and errc::not_same if it differs between ranks in more than the data. The file has its
  // name only when it is whole; a file of this name is replaced.
  void save(World const& world, std::string const& path, detail::hinted with = {},
            opener const& files = posix_opener());
  // Makes a file of steps, with this state as the first one. Collective. Throws as `save` does.
  // `room` says how many steps there can be. The file has this size as a hole, which takes no
  // space.
  void begin_steps(World const& world, std::string const& path, double time,
                   detail::vtkhdf_room room = {}, detail::hinted with = {},
                   opener const& files = posix_opener());
  // Adds this state as one more step to a file of begin_steps. Collective. Any number of ranks may
  // do that. Throws errc::argument if the file is of another kind, or if its arrays are others. It
  // also does so if the room is full, or if `time` is not later than that of the last step. After
  // an error or a crash the file has the steps that it had, or also this one.
  void append_step(World const& world, std::string const& path, double time,
                   detail::hinted with = {}, opener files = posix_opener());

  // Returns the text of the last error on this rank, also after later successes. Local.
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  using joint = detail::joint_call<World>;
  using hdf5 = basic_hdf5<World>;
  explicit basic_vtkhdf(std::string type) { state_.type = std::move(type); }
  template <class Points, class Choice>
  basic_vtkhdf(std::string type, Points&& points, Choice choice) : basic_vtkhdf(std::move(type)) {
    state_.arrays.push_back(
        {"Points", false, detail::vtkhdf_now(std::forward<Points>(points), choice)});
  }
  basic_vtkhdf& add(std::string name, bool of_cells, std::function<detail::vtkhdf_data()> now) {
    name.insert(0, of_cells ? "CellData/" : "PointData/");
    state_.arrays.push_back({std::move(name), of_cells, std::move(now), state_.boxes.size()});
    return *this;
  }
  template <class Data>
  basic_vtkhdf& add(std::string name, bool of_cells, array_part part, Data&& data) {
    if constexpr (std::is_lvalue_reference_v<Data>)
      return add(std::move(name), of_cells, [part = std::move(part), &data] {
        return detail::vtkhdf_data{part, source(data)};
      });
    else
      return add(std::move(name), of_cells,
                 [part = std::move(part), from = source(std::forward<Data>(data))] {
                   return detail::vtkhdf_data{part, from};
                 });
  }

  void look(joint const& s, detail::vtkhdf_here& here, detail::vtkhdf_step& at) const;
  void share_boxes(joint const& s, detail::vtkhdf_here& here) const;
  void make(std::string_view name, World const& world, std::string const& path,
            detail::vtkhdf_step at, detail::hinted const& with, opener const& files);
  void append(joint const& s, hdf5& f, detail::vtkhdf_here const& here, detail::vtkhdf_step& at);
  void write(joint const& s, hdf5& f, std::vector<detail::vtkhdf_dataset>& all) const;

  detail::vtkhdf_state state_;
  std::string what_failed_;
};

}  // namespace argosy
