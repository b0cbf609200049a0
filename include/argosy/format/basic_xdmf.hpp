// A sidecar .xdmf, which describes files of arrays, step by step, for ParaView and VisIt.
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

// The positions of the values of fields in space. Each vector has an entry for each index of the
// arrays, 1 to 3, in the order of the indices. The index that runs fastest in the file is x.
struct xdmf_grid {
  std::vector<std::int64_t> points = {};
  std::vector<double> origin = {}, spacing = {};  // for a regular grid; if left out, 0 and 1
  // For a rectilinear grid: the coordinate of each point, along each index.
  std::vector<std::vector<double>> coordinates = {};
  argosy::order order = argosy::order::c;  // order of the arrays
};

struct xdmf_field {
  double time;
  std::string name, file;
  dtype type;
  argosy::order order;
  std::vector<std::int64_t> shape;
  std::int64_t offset;
  carried_fault fault = {};  // fault of the part that described the array
};

// Returns the text of a file at `path`. Fields of one time are one step. Sets `why` if a field
// cannot be shown.
std::string xdmf_text(std::string const& path, xdmf_grid const& grid,
                      std::vector<xdmf_field> const& fields, failure& why);
// Returns the content as lines "name value". Ranks compare them.
std::string xdmf_lines(xdmf_grid const& grid, std::vector<xdmf_field> const& fields);
// Replaces the file at `path` by a new one, which is synced. Local.
failure replace_file(opener const& files, std::string const& path, std::string const& temporary,
                     std::string const& text);

}  // namespace detail

// A description of files of arrays, equal on all ranks. `io::xdmf` is this class on MPI: xdmf.hpp.
//   io::xdmf run({.points = {nz, ny, nx}, .spacing = {dz, dy, dx}});
//   run.add(time, "temperature", "t_0001.npy", f.header());
//   run.save(world, "run.xdmf");                   // after each step, if viewers watch the run
// Arrays have the size of the grid, or one less along each index if they belong to cells. A further
// index that runs fastest makes vectors if its size is 3, and tensors if it is 9. Numbers are
// integers and floating point of up to 8 bytes.
template <communicator World>
class basic_xdmf {
 public:
  explicit basic_xdmf(detail::xdmf_grid grid) : grid_(std::move(grid)) {}

  // Adds a field of a .npy file. Local. `data` is a path as the program opens it. The .xdmf
  // contains the path relative to itself.
  basic_xdmf& add(double time, std::string name, std::string data, npy_header const& h) {
    return add({time, std::move(name), std::move(data), h.type, h.order, h.shape, h.data_offset});
  }
  // Adds a field of a file without a header. Local. `offset` is the start of the array.
  basic_xdmf& add(double time, std::string name, std::string data, array_part const& array,
                  std::int64_t offset = 0) {
    return add({time, std::move(name), std::move(data), array.type(), array.order(), array.shape(),
                offset, detail::carried_fault::of([&] { (void)array.bytes(); })});
  }

  // Saves the description. Collective. Throws errc::argument if an array does not fit the grid.
  // Throws errc::not_same if the description differs between ranks. One rank writes and syncs a
  // temporary file, and renames it to `path`. A program that opens the file meanwhile sees all
  // steps, or those of the previous save.
  void save(World const& world, std::string const& path, on_error e = {},
            opener const& files = posix_opener());
  // Returns the text of the last error on this rank, also after later successes. Local.
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
