// An array in a .npy file, which NumPy opens. The ranks of a world write and read it together.
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

// An array in a .npy file. `io::npy` is this class on MPI: npy.hpp. Movable. All calls except
// header() and file() are collective, and result in an error on every rank or on none. A crash
// during a write damages the file; checkpoints are safe against that.
template <communicator World>
class basic_npy {
 public:
  basic_npy() = default;  // not open

  // Makes a new file, and replaces a file of that name. Collective. Shape, type and order must be
  // equal on all ranks.
  //
  // Throws errc::datatype if the parts of all ranks together are smaller than the array. In develop
  // mode it is also thrown if parts leave elements out and overlap elsewhere. An old file is
  // unchanged after these errors, and after errc::not_same. If writing the new file fails, the file
  // is removed, and the old one is lost.
  //   auto f = io::npy::create(world, "u.npy", tile);
  //   f.write_all(io::interior(u, {1, 1, 1}));
  //   f.close();
  // The array is zeros until it is written. The first byte of the header is missing until `close`
  // writes it. A file that was not closed, or whose last write_all failed, is therefore not
  // mistaken for a whole one.
  static basic_npy create(World const& world, std::string const& path, array_part const& part,
                          detail::hinted with = {}, opener files = posix_opener());
  // Opens an existing file, for reading or with mode::read_write. Collective. Throws errc::datatype
  // if its array is not that of `part`. Throws errc::damaged if the file is no whole .npy file.
  // Both byte orders can be read. A record in the file may have more fields than that of the
  // program, but the common fields must come in the same order.
  static basic_npy open(World const& world, std::string const& path, array_part const& part,
                        argosy::mode modes = mode::read, detail::hinted with = {},
                        opener files = posix_opener());
  // Returns the header of a file. Collective. Throws errc::damaged if the file is no whole .npy
  // file.
  static npy_header header_of(World const& world, std::string const& path, detail::hinted with = {},
                              opener files = posix_opener());

  // Writes or reads this rank's part. Collective. The data must be the whole part, of its type or
  // as bytes. Throws errc::datatype if it is not. read_all() throws errc::truncated if the file
  // ends inside the part.
  report write_all(source from, access_options with = {});
  report read_all(target into, access_options with = {});
  // Closes the file. Collective. A new file then gets its first byte, and is whole; parts that were
  // not written are zeros. Throws errc::damaged if the last write_all to a new file failed. The
  // file is then closed, but not whole.
  void close(on_error e = {});

  // Returns the header of the file that is open, or was open last. Local.
  npy_header const& header() const noexcept { return header_; }
  // Returns the file, for all other calls. Local. The view is this rank's part, and offsets count
  // its elements from 0. Offsets from elements() of the part on do not belong to this rank. If the
  // part is a darray or a subarray, they lie behind the array; otherwise they may lie within it.
  basic_file<World>& file() noexcept { return file_; }
  // Returns the text of the last error on this rank, also after later successes. Local.
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  using joint = detail::joint_call<World>;
  enum class progress { none, begun, failed };  // state of a new file, until it is closed
  void make(joint const& s, std::string const& path, array_part const& part,
            detail::hinted const& with, opener const& files);
  void find(joint const& s);
  void drop(joint const& s);
  void require_cover(joint const& s, array_part const& part, argosy::view const& v,
                     detail::part_cover cover) const;
  template <class Body>
  void in_call(std::string_view name, extend::source_location where, std::error_code* code,
               Body&& body);
  template <class Data>
  void check(Data& data) const;

  basic_file<World> file_;
  std::optional<array_part> part_;
  npy_header header_;
  progress state_ = progress::none;
  std::optional<opener> files_;  // set for a new file
  std::string what_failed_;
};

}  // namespace argosy
