// A sidecar .xdmf: tells ParaView and VisIt what lies in files of arrays, step by step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <argosy/datatype/detail/carried_fault.hpp>
#include <argosy/file/hinted.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/npy_header.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy {

namespace detail {

// Where the values of fields are, in space: one entry for each index of the arrays, 1 to 3, in the
// order of the indices. The index that runs fastest in the file is x.
struct xdmf_grid {
  std::vector<std::int64_t> points = {};
  std::vector<double> origin = {}, spacing = {};  // regular; left out: 0 and 1
  // rectilinear, if given: of each point, along each index
  std::vector<std::vector<double>> coordinates = {};
  argosy::order order = argosy::order::c;  // of the arrays
};

struct xdmf_field {
  double time;
  std::string name, file;
  dtype type;
  argosy::order order;
  std::vector<std::int64_t> shape;
  std::int64_t offset;
  carried_fault fault = {};  // of the part that told the array
};

// The text of a file at `path`. Fields of one time are one step; what cannot be shown is in `why`.
std::string xdmf_text(std::string const& path, xdmf_grid const& grid,
                      std::vector<xdmf_field> const& fields, failure& why);
// What is in it, "name value" a line, for ranks that differ.
std::string xdmf_lines(xdmf_grid const& grid, std::vector<xdmf_field> const& fields);
// Local: a new file, synced, takes the place of that at `path`.
failure replace_file(opener const& files, std::string const& path, std::string const& temporary,
                     std::string const& text);

}  // namespace detail

// `io::xdmf` is this on MPI: xdmf.hpp. A value, the same on all ranks:
//   io::xdmf run({.points = {nz, ny, nx}, .spacing = {dz, dy, dx}});
//   run.add(time, "temperature", "t_0001.npy", f.header());
//   run.save(world, "run.xdmf");                               // after each step, for those who
//                                                              watch
// Arrays have the size of the grid, or one less along each index: then they belong to cells. A
// further index of size 3 that runs fastest makes vectors, of 9 tensors. Numbers are integers and
// floating point of up to 8 bytes.
template <communicator World>
class basic_xdmf {
 public:
  explicit basic_xdmf(detail::xdmf_grid grid) : grid_(std::move(grid)) {}

  // `data` is a path as the program opens it; what is written is the way there from the .xdmf.
  basic_xdmf& add(double time, std::string name, std::string data, npy_header const& h) {
    return add({time, std::move(name), std::move(data), h.type, h.order, h.shape, h.data_offset});
  }
  // Of a file without a header: where the array begins.
  basic_xdmf& add(double time, std::string name, std::string data, array_part const& array,
                  std::int64_t offset = 0) {
    return add({time, std::move(name), std::move(data), array.type(), array.order(), array.shape(),
                offset, detail::carried_fault::of([&] { (void)array.bytes(); })});
  }

  // Collective. One rank writes another file, which then takes the name: who opens it meanwhile
  // sees all steps, or those of before. errc::argument if an array does not fit the grid.
  void save(World const& world, std::string const& path, on_error e = {},
            opener files = posix_opener());
  // Of the last call on this rank that failed.
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  basic_xdmf& add(detail::xdmf_field f) {
    fields_.push_back(std::move(f));
    return *this;
  }

  detail::xdmf_grid grid_;
  std::vector<detail::xdmf_field> fields_;
  std::string what_failed_;
};

}  // namespace argosy
