// An array in a .npy file, which NumPy opens, written and read together by the ranks of a world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <argosy/file/basic_file.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/npy_header.hpp>

namespace argosy {
namespace detail {
template <communicator World>
class joint_call;
struct part_cover;
}  // namespace detail

// `io::npy` is this on MPI: npy.hpp. Movable. All calls but header() and file() are collective, and
// end with an error on every rank or on none. The file is not safe against a crash while it is
// written; checkpoints are.
template <communicator World>
class basic_npy {
 public:
  basic_npy() = default;  // not open

  // Makes a new file in place of what had the name: room for the array, which is zeros until it is
  // written, and the header but for its first byte, which `close` writes. So nobody takes a file
  // for whole that was not closed, or whose last write_all failed. What could not be made is
  // removed. Shape, type and order must be equal on all ranks. errc::datatype if the parts of all
  // ranks together are smaller than the array, and in develop mode also if they leave elements out
  // and overlap elsewhere.
  //   auto f = io::npy::create(world, "u.npy", tile);
  //   f.write_all(io::interior(u, {1, 1, 1}));
  //   f.close();
  static basic_npy create(World const& world, std::string const& path, array_part const& part,
                          detail::hinted with = {}, opener files = posix_opener());
  // A file that is there, for reading or with mode::read_write. errc::datatype if its array is
  // another one than that of `part`. Read is either byte order, and of records those fields that
  // the program has; they must come in one order.
  static basic_npy open(World const& world, std::string const& path, array_part const& part,
                        argosy::mode modes = mode::read, detail::hinted with = {},
                        opener files = posix_opener());
  // What array a file has.
  static npy_header header_of(World const& world, std::string const& path, detail::hinted with = {},
                              opener files = posix_opener());

  // The data is this rank's part, all of it and of its type.
  report write_all(source from, how with = {});
  report read_all(target into, how with = {});
  // Closes the file. A new one then gets its first byte, and is whole; where nothing was written it
  // has zeros. errc::damaged if the last write_all failed: then the file is closed, and not whole.
  void close(on_error e = {});

  npy_header const& header() const noexcept { return header_; }
  // All other calls: the view is this rank's part. Offsets behind it lie behind the array.
  basic_file<World>& file() noexcept { return file_; }
  // Of the last call on this rank that failed.
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  using joint = detail::joint_call<World>;
  enum class progress { none, begun, failed };  // of a new file, until it is closed
  void make(joint const& s, std::string const& path, array_part const& part,
            detail::hinted const& with, opener const& files);
  void find(joint const& s);
  void drop(joint const& s);
  void require_cover(joint const& s, array_part const& part, argosy::view const& v,
                     detail::part_cover cover) const;
  template <class Body>
  void in_call(std::string_view name, source_location where, std::error_code* code, Body&& body);
  template <class Data>
  void check(Data& data) const;

  basic_file<World> file_;
  std::optional<array_part> part_;
  npy_header header_;
  progress state_ = progress::none;
  std::optional<opener> files_;  // of a new file
  std::string what_failed_;
};

}  // namespace argosy
