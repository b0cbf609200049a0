// States for VTKHDF files, and what must be found in a file. Lines are those of vtkhdf_check.py.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <regex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <argosy/format/basic_hdf5.hpp>
#include <argosy/format/basic_vtkhdf.hpp>
#include <argosy/world/mpi.hpp>
#include <argosy/world/self.hpp>

#include "format/array_cases.hpp"
#include "support/files.hpp"
#include "support/python.hpp"

namespace argosy::test {

using lines = std::vector<std::string>;

template <class Numbers>
std::string shown(Numbers const& all) {
  std::string text;
  for (auto const& x : all) {
    char one[40];
    std::snprintf(one, sizeof one, " %g", static_cast<double>(x));
    text += one;
  }
  return text;
}

// One rank's points and cells in one step: different numbers of them on each rank.
struct mesh_piece {
  struct cells {
    std::vector<std::int64_t> corners = {}, offsets = {};
  };
  std::vector<particle> points = {};
  std::vector<std::array<float, 3>> v = {};
  std::array<cells, 4> lists = {};
  std::vector<std::uint8_t> types = {};
  std::vector<std::int32_t> id = {};

  // `lists_used` has a bit for each list that has cells.
  mesh_piece(std::mt19937_64& random, int rank, std::int64_t step, unsigned lists_used) {
    auto const up_to = [&](std::int64_t n) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    auto const n = up_to(3) == 0 ? 0 : up_to(9);
    for (std::int64_t i = 0; i < n; ++i) {
      points.push_back({{100.0 * rank + static_cast<double>(i), static_cast<double>(step), 3},
                        1,
                        static_cast<std::int32_t>(i)});
      v.push_back({static_cast<float>(i), static_cast<float>(rank), static_cast<float>(step)});
    }
    for (std::size_t t = 0; t < 4; ++t) {
      if ((lists_used >> t & 1) == 0 || n == 0 || up_to(3) == 0) continue;
      lists[t].offsets = {0};
      for (std::int64_t k = up_to(4); k > 0; --k) {
        // a polygon of VTK
        types.push_back(7);
        id.push_back(static_cast<std::int32_t>(1000 * step + 100 * rank + std::ssize(id)));
        for (std::int64_t c =
                 1 + std::min<std::int64_t>(2, static_cast<std::int64_t>(t)) + up_to(3);
             c > 0; --c)
          lists[t].corners.push_back(up_to(n));
        lists[t].offsets.push_back(std::ssize(lists[t].corners));
      }
    }
  }
};

inline std::string shown(mesh_piece::cells const& list, std::string const& type = {}) {
  std::string text;
  for (std::size_t k = 0; k + 1 < list.offsets.size(); ++k) {
    text += " " + type;
    for (auto i = list.offsets[k]; i < list.offsets[k + 1]; ++i)
      text += (i > list.offsets[k] ? "," : "") +
              std::to_string(list.corners[static_cast<std::size_t>(i)]);
  }
  return text;
}

inline constexpr char const* poly_lists[] = {"Vertices", "Lines", "Polygons", "Strips"};

// Finds the lines of a file with points by the rules of the format. Any rank may call it.
class vtkhdf_eye {
 public:
  explicit vtkhdf_eye(std::string const& path)
      : f_(basic_hdf5<self>::open(self(), path)), content_(f_.content()) {
    for (hdf5_group const& g : content_.groups)
      for (hdf5_attribute const& a : g.attributes) {
        if (g.name == "VTKHDF" && a.name == "Type") type_ = a.text().value_or("");
        if (g.name == "VTKHDF/Steps") steps_ = a.numbers<std::int64_t>().value().at(0);
      }
  }
  std::string const& type() const { return type_; }
  std::int64_t steps() const { return steps_; }
  hdf5_content const& content() const { return content_; }

  template <class T>
  std::vector<T> all(std::string const& name) {
    hdf5_dataset const* const d = content_.find("VTKHDF/" + name);
    REQUIRE(d);
    REQUIRE(d->type == dtype_of<T>());
    std::int64_t n = 1;
    for (std::int64_t const k : d->shape) n *= k;
    std::vector<T> found(static_cast<std::size_t>(n));
    f_.read_all(d->name, array_part(d->shape, contiguous(n, argosy::type<T>)), found);
    return found;
  }

  // The lines of boxes: `levels` of them. Arrays are u, w and perhaps p.
  lines see_boxes(std::size_t levels, bool with_points) {
    lines found;
    for (std::int64_t s = 0; s < std::max<std::int64_t>(1, steps_); ++s) {
      if (steps_ > 1)
        found.push_back("step " + std::to_string(s) + " time" +
                        shown(std::array{all<double>("Steps/Values")[at(s)]}));
      for (std::size_t l = 0; l < levels; ++l) {
        std::string const group = "Level" + std::to_string(l) + "/";
        auto const corners = all<std::int64_t>(group + "AMRBox");
        auto const u = all<std::int32_t>(group + "CellData/u");
        auto const w = all<double>(group + "CellData/w");
        auto const p = with_points ? all<float>(group + "PointData/p") : std::vector<float>();
        auto const first = of_step(group + "AMRBoxOffsets", s, 0, 1);
        std::int64_t const n =
            steps_ == 0 ? std::ssize(corners) / 6 : of_step(group + "NumberOfAMRBoxes", s, 0, 1);
        std::int64_t cell = of_step(group + "CellDataOffsets/u", s, 0, 1),
                     point = with_points ? of_step(group + "PointDataOffsets/p", s, 0, 1) : 0;
        CHECK(of_step(group + "CellDataOffsets/w", s, 0, 1) == cell);
        for (std::int64_t b = 0; b < n; ++b) {
          std::int64_t cells = 1, points = 1;
          for (std::size_t k = 0; k < 3; ++k) {
            std::int64_t const low = corners[at(6 * (first + b)) + 2 * k],
                               high = corners[at(6 * (first + b)) + 2 * k + 1];
            cells *= high - low + 1;
            points *= high - low + 2;
          }
          std::string const start = "step " + std::to_string(s) + " level " + std::to_string(l) +
                                    " box " + std::to_string(b) + " ";
          found.push_back(start + "cell u" + shown(std::span(u).subspan(at(cell), at(cells))));
          found.push_back(start + "cell w" +
                          shown(std::span(w).subspan(at(3 * cell), at(3 * cells))));
          if (with_points)
            found.push_back(start + "point p" + shown(std::span(p).subspan(at(point), at(points))));
          cell += cells;
          point += points;
        }
      }
    }
    return found;
  }

  lines see_points() {
    lines found;
    bool const poly = type_ == "PolyData";
    auto const points = all<double>("Points");
    auto const v = all<float>("PointData/v");
    auto const id = all<std::int32_t>("CellData/id");
    auto const counts = all<std::int64_t>("NumberOfPoints");
    std::size_t const lists = poly ? 4 : 1;
    for (std::int64_t s = 0; s < std::max<std::int64_t>(1, steps_); ++s) {
      std::int64_t const part = of_step("PartOffsets", s, 0, 1),
                         parts =
                             steps_ == 0 ? std::ssize(counts) : of_step("NumberOfParts", s, 0, 1);
      std::int64_t point = of_step("PointOffsets", s, 0, 1), cell = 0;
      std::array<std::int64_t, 4> cells{}, corners{};
      for (std::size_t t = 0; t < lists; ++t) {
        cells[t] = of_step("CellOffsets", s, t, lists);
        corners[t] = of_step("ConnectivityIdOffsets", s, t, lists);
        cell += cells[t];
      }
      if (steps_ > 1)
        found.push_back("step " + std::to_string(s) + " time" +
                        shown(std::array{all<double>("Steps/Values")[at(s)]}));
      for (std::int64_t p = 0; p < parts; ++p) {
        std::string const start = "step " + std::to_string(s) + " part " + std::to_string(p) + " ";
        auto const n = counts[at(part + p)];
        if (n > 0) {
          found.push_back(start + "points" +
                          shown(std::span(points).subspan(at(3 * point), at(3 * n))));
          found.push_back(start + "point v" +
                          shown(std::span(v).subspan(at(3 * point), at(3 * n))));
        }
        std::int64_t of_part = 0;
        for (std::size_t t = 0; t < lists; ++t) {
          std::string const group = poly ? poly_lists[t] + std::string("/") : "";
          auto const m = all<std::int64_t>(group + "NumberOfCells")[at(part + p)],
                     c = all<std::int64_t>(group + "NumberOfConnectivityIds")[at(part + p)];
          mesh_piece::cells list;
          auto const offsets = all<std::int64_t>(group + "Offsets"),
                     all_corners = all<std::int64_t>(group + "Connectivity");
          auto const first = offsets.begin() + cells[t] + part + p;
          list.offsets.assign(first, first + m + 1);
          list.corners.assign(all_corners.begin() + corners[t],
                              all_corners.begin() + corners[t] + c);
          CHECK(list.offsets.back() == c);
          if (m > 0)
            found.push_back(start + (poly ? poly_lists[t] : "cells") +
                            shown(list, poly ? "" : "7:"));
          if (!poly)
            for (std::int64_t k = 0; k < m; ++k)
              CHECK(all<std::uint8_t>("Types")[at(cells[t] + k)] == 7);
          cells[t] += m;
          corners[t] += c;
          of_part += m;
        }
        if (of_part > 0)
          found.push_back(start + "cell id" + shown(std::span(id).subspan(at(cell), at(of_part))));
        point += n;
        cell += of_part;
      }
    }
    return found;
  }

 private:
  static std::size_t at(std::int64_t n) { return static_cast<std::size_t>(n); }
  std::int64_t of_step(std::string const& name, std::int64_t s, std::size_t t,
                       std::size_t columns) {
    return steps_ == 0 ? 0 : all<std::int64_t>("Steps/" + name)[at(s) * columns + t];
  }

  basic_hdf5<self> f_;
  hdf5_content content_;
  std::string type_;
  std::int64_t steps_ = 0;
};

// Returns the lines of a file, sorted, because readers have another order of arrays.
inline lines lines_in(std::string const& path) {
  lines found;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) found.push_back(line);
  std::ranges::sort(found);
  return found;
}

// Lines that VTK must find in files.
class wanted_of_vtk {
 public:
  // Compares the lines of all ranks with those that rank 0 has found, except lines of grids and
  // field data, which only VTK finds. Collective.
  void check(mpi const& world, std::string const& path, lines const& mine, lines const& found,
             bool by_vtk = true) {
    {
      std::ofstream out(path + ".lines." + std::to_string(world.rank()));
      for (std::string const& line : mine) out << line << "\n";
    }
    world.barrier();
    if (world.rank() == 0) {
      lines wanted, sorted = found;
      for (int r = 0; r < world.size(); ++r)
        for (std::string& line : lines_in(path + ".lines." + std::to_string(r)))
          wanted.push_back(std::move(line));
      std::ranges::sort(wanted);
      std::ranges::sort(sorted);
      lines without_grids;
      std::ranges::copy_if(wanted, std::back_inserter(without_grids), [](std::string const& line) {
        return line.find(" grid ") == line.npos && line.find(" field ") == line.npos;
      });
      CHECK(sorted == without_grids);
      if (!by_vtk) return world.barrier();
      files_ += " " + path;
      wanted_.emplace_back(path, without_empty_parts(wanted));
    }
    world.barrier();
  }
  // Looks into all files by VTK. Collective.
  void see(mpi const& world) const {
    if (world.rank() == 0) {
      std::string const python = python_with("vtkmodules.vtkIOHDF", ARGOSY_TEST_VTK_PYTHON);
      if (python.empty())
        skipped("there is no VTK with a reader of VTKHDF: cmake/vtk.sh installs one");
      else
        CHECK(std::system((python + " " ARGOSY_TEST_VTKHDF_CHECK + files_).c_str()) == 0);
      for (auto const& [path, wanted] : wanted_)
        if (!python.empty()) CHECK(lines_in(path + ".seen") == wanted);
    }
    world.barrier();
  }

 private:
  // Numbers the parts of each step without those that have no points.
  static lines without_empty_parts(lines all) {
    std::map<std::string, std::map<std::string, int>> parts;  // numbers by step
    std::regex const shape("(step \\d+) part (\\d+) (.*)");
    std::smatch found;
    for (std::string const& line : all)
      if (std::regex_match(line, found, shape)) parts[found[1]][found[2]] = 0;
    for (auto& [step, numbers] : parts)
      for (int n = 0; auto& [part, number] : numbers) number = n++;
    for (std::string& line : all)
      if (std::string const old = line; std::regex_match(old, found, shape))
        line = found.str(1) + " part " + std::to_string(parts[found[1]][found[2]]) + " " +
               found.str(3);
    std::ranges::sort(all);
    return all;
  }

  std::string files_;
  std::vector<std::pair<std::string, lines>> wanted_;
};

}  // namespace argosy::test
