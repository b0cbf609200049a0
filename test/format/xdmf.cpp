// Sidecars .xdmf, read by Python's XML parser, and by VTK's reader, which ParaView uses, if it is
// installed.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/format/npy.hpp>
#include <argosy/format/xdmf.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "format/looking.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/python.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using xdmf = io::basic_xdmf<io::self>;
using npy = io::basic_npy<io::self>;

// Returns the lines that the script prints, sorted within a step, because readers order fields
// differently. Empty if there is no reader.
std::vector<std::string> seen_by(std::string const& reader, std::string const& path) {
  std::string const python = reader == "xml"
                                 ? python_with("xml.etree.ElementTree")
                                 : python_with("vtkmodules.vtkIOXdmf2", ARGOSY_TEST_VTK_PYTHON);
  if (python.empty()) {
    skipped(reader == "xml" ? "there is no python3"
                            : "there is no VTK with a reader of XDMF: cmake/vtk.sh installs one");
    return {};
  }
  std::string const out = path + "." + reader;
  REQUIRE(std::system((python + " " ARGOSY_TEST_XDMF_CHECK " " + reader + " " + path + " > " + out)
                          .c_str()) == 0);
  std::vector<std::string> lines;
  std::string const text = content_of(out);
  std::size_t step = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = text.find('\n', at);
    std::string const line = text.substr(at, end - at);
    if (line.rfind("time", 0) == 0) {
      std::sort(lines.begin() + static_cast<std::ptrdiff_t>(step), lines.end());
      lines.push_back(line);
      step = lines.size();
    } else if (line.rfind("axis", 0) == 0) {
      lines.push_back(line);
      step = lines.size();
    } else {
      lines.push_back(line);
    }
    at = end + 1;
  }
  std::sort(lines.begin() + static_cast<std::ptrdiff_t>(step), lines.end());
  return lines;
}

void check(std::string const& path, std::vector<std::string> const& expected) {
  for (char const* reader : {"xml", "vtk"}) {
    CAPTURE(reader);
    auto const seen = seen_by(reader, path);
    if (!seen.empty()) CHECK(seen == expected);
  }
}

// Saves an array whose elements count from `first` on, in the order of the file.
template <class T>
io::npy_header save(std::string const& path, std::vector<std::int64_t> const& shape, T first,
                    io::order o = io::order::c) {
  std::vector<std::int64_t> const ones(shape.size(), 1);
  std::vector<io::distribute::rule> const rules(shape.size());
  io::numbers<> const sizes{std::span(shape)}, grid{std::span(ones)};
  io::darray<T> const all{sizes, rules, grid, 0, io::type<T>, o};
  npy f = npy::create(io::self(), path, all);
  std::vector<T> u(static_cast<std::size_t>(io::array_part(all).elements()));
  for (T& x : u) x = first++;
  f.write_all(u);
  f.close();
  return f.header();
}

}  // namespace

TEST_CASE("readers see a run: steps, fields of points and cells, vectors, where they are",
          "[format][xdmf]") {
  scratch const here;
  std::filesystem::create_directory(here / "data");
  xdmf run({.points = {2, 3, 4}, .origin = {10, 20, 30}, .spacing = {1, 0.5, 0.25}});
  std::vector<std::string> expected;
  for (int step = 1; step >= 0; --step) {  // in any order
    std::string const n = std::to_string(step);
    auto const name = [&](char const* field) { return here / "data/" + (field + n) + ".npy"; };
    run.add(0.5 * step, "t", name("t"), save<double>(name("t"), {2, 3, 4}, 100 * step));
    run.add(0.5 * step, "<v> & \"w\"", name("v"), save<float>(name("v"), {2, 3, 4, 3}, 0));
    run.add(0.5 * step, "c", name("c"), save<std::int32_t>(name("c"), {1, 2, 3}, 7));
  }
  run.save(io::self(), here / "run.xdmf");
  auto const counted = [](std::string line, int first, int n) {
    for (int i = 0; i < n; ++i) line += " " + std::to_string(first + i);
    return line;
  };
  for (int step = 0; step < 2; ++step)
    expected.insert(expected.end(),
                    {step == 0 ? "time 0" : "time 0.5", "axis 30 30.25 30.5 30.75",
                     "axis 20 20.5 21", "axis 10 11", counted("cell c", 7, 6),
                     counted("node <v> & \"w\"", 0, 72), counted("node t", 100 * step, 24)});
  check(here / "run.xdmf", expected);
  CHECK_THAT(content_of(here / "run.xdmf"), ContainsSubstring(">data/t0.npy<"));
}

TEST_CASE(
    "readers see rectilinear grids, Fortran order, few dimensions, raw files, all kinds of numbers",
    "[format][xdmf]") {
  scratch const here;
  xdmf run({.points = {2, 3}, .coordinates = {{1, 4}, {0, 1, 9}}, .order = io::order::fortran});
  run.add(2, "t", here / "t.npy", save<double>(here / "t.npy", {2, 3}, 0, io::order::fortran));
  run.save(io::self(), here / "run.xdmf");
  check(here / "run.xdmf", {"time 2", "axis 1 4", "axis 0 1 9", "axis 0", "node t 0 1 2 3 4 5"});

  xdmf line({.points = {3}});
  auto const add = [&]<class T>(T first, char const* name) {
    std::string const path = here / name;
    auto f = io::basic_file<io::self>::open(io::self(), path, io::mode::create | io::mode::write);
    std::vector<T> u(3);
    for (T& x : u) x = first++;
    io::darray<T, 1> const all({3}, io::distribute::block, {1}, 0);
    f.set_view(40, all);
    f.write_all(u);
    f.close();
    line.add(0, name, path, all, 40);
  };
  add(1.5, "f8");
  add(2.5f, "f4");
  add(std::int64_t{-3}, "i8");
  add(std::int32_t{-4}, "i4");
  add(std::int16_t{-5}, "i2");
  add(std::uint16_t{65000}, "u2");
  add(std::uint32_t{3'000'000'000}, "u4");
  add(std::int8_t{-6}, "i1");
  add(std::uint8_t{200}, "u1");
  line.save(io::self(), here / "line.xdmf");
  check(here / "line.xdmf",
        {"time 0", "axis 0 1 2", "axis 0", "axis 0", "node f4 2.5 3.5 4.5", "node f8 1.5 2.5 3.5",
         "node i1 -6 -5 -4", "node i2 -5 -4 -3", "node i4 -4 -3 -2", "node i8 -3 -2 -1",
         "node u1 200 201 202", "node u2 65000 65001 65002", "node u4 3e+09 3e+09 3e+09"});
}

TEST_CASE(
    "what cannot be shown is an error on all ranks; the old file stays, or the new one is whole",
    "[format][xdmf][errors]") {
  using rank = io::lab::virtual_rank;
  io::npy_header const good{
      .type = io::extend::dtype_of<double>(), .shape = {2, 3}, .data_offset = 128};
  io::detail::xdmf_grid const grid{.points = {2, 3}};
  io::lab::virtual_files files;
  std::string const old = "old";
  files.put("f", std::as_bytes(std::span(old)));
  io::lab::virtual_cluster const cluster({.ranks = 3}, {.stack_bytes = std::size_t{1} << 20});
  cluster.run([&](rank const& world) {
    auto const refused = [&](io::detail::xdmf_grid g, io::npy_header h, double time,
                             std::string const& words) {
      io::basic_xdmf<rank> x(g);
      std::error_code error;
      x.add(time, "u", "u.npy", h).save(world, "f", error, files.opener());
      CHECK((error == io::errc::argument || error == io::errc::error_on_another_rank));
      CHECK_THAT(x.what_failed(), ContainsSubstring(words));
      CHECK_THROWS_AS(x.save(world, "f", {}, files.opener()), io::error);
    };
    auto other = good;
    other.shape = {2, 4};
    refused(grid, other, 0, "'u' has 2 x 4 values, the grid 2 x 3 points");
    other.shape = {2, 3, 2};
    refused(grid, other, 0, "'u' has 2 x 3 x 2 values");
    other = good;
    other.order = io::order::fortran;
    refused(grid, other, 0, "different orders");
    other = good;
    other.type = io::extend::dtype_of<long double>();
    refused(grid, other, 0, "'<f16', which it cannot show");
    refused({.points = {2, 3, 4, 5}}, good, 0, "1 to 3");
    refused({.points = {2, 0}}, good, 0, "points along");
    refused({.points = {2, 3}, .origin = {0}}, good, 0, "for each index");
    refused({.points = {2, 3}, .origin = {0, 0}, .coordinates = {{0, 1}, {0, 1, 2}}}, good, 0,
            "coordinates, or origin");
    refused({.points = {2, 3}, .coordinates = {{0, 1}, {0, 1}}}, good, 0, "of each point");
    refused(grid, good, std::numeric_limits<double>::infinity(), "no number");
    io::basic_xdmf<rank> x(grid);
    std::error_code error;
    x.add(world.rank(), "u", "u.npy", good).save(world, "f", error, files.opener());
    CHECK(error == io::errc::not_same);
    CHECK_THAT(x.what_failed(),
               ContainsSubstring("fields[0] is 'u' at time 2, '<f8' (2 x 3) of 'u.npy'") &&
                   !ContainsSubstring("<Grid"));
    // An invalid box on one rank.
    io::basic_xdmf<rank> boxes(grid);
    boxes.add(0, "u", "u.npy",
              io::subarray({2, 3}, {1, 3}, {world.rank() == 1 ? 2 : 0, 0}, io::type<double>));
    boxes.save(world, "f", error, files.opener());
    CHECK(error == (world.rank() == 1 ? io::errc::datatype : io::errc::error_on_another_rank));
    CHECK_THAT(boxes.what_failed(), ContainsSubstring("move or shrink the box"));
  });
  CHECK(files.content("f").size() == 3);
  CHECK(files.names() == std::vector<std::string>{"f"});

  std::set<std::size_t> left;  // sizes after crashes
  std::uint64_t looks = 0;
  auto const look = [&] {
    for (int k = 0; k < 5; ++k) left.insert(files.crash(++looks).content("f").size());
  };
  cluster.run([&](rank const& world) {
    io::basic_xdmf<rank> x(grid);
    x.add(0, "u", "u.npy", good).save(world, "f", {}, looking(files.opener(), look));
  });
  CHECK(left == std::set<std::size_t>{3, files.content("f").size()});
  for (io::file_call const kind :
       {io::file_call::open, io::file_call::write, io::file_call::sync, io::file_call::close}) {
    io::lab::scenario s{.ranks = 3};
    // The first file that is opened is the old one. A failure there does not stop the save.
    bool const first_looks = kind == io::file_call::open || kind == io::file_call::close;
    s.faults.push_back({0, io::fail_at(kind, first_looks ? 2 : 1, std::errc::io_error)});
    int failed = 0;
    files.put("f", std::as_bytes(std::span(old)));
    io::lab::virtual_cluster(s, {.stack_bytes = std::size_t{1} << 20}).run([&](rank const& world) {
      io::basic_xdmf<rank> x(grid);
      std::error_code error;
      x.add(0, "u", "u.npy", good).save(world, "f", error, files.opener());
      failed += error ? 1 : 0;
    });
    CHECK(failed == 3);
    CHECK(files.content("f").size() == 3);
    CHECK(files.names() == std::vector<std::string>{"f"});
  }
}
