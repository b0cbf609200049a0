// An HDF5 file, which h5py, netCDF-4 and ParaView open. The ranks of a world write and read it
// together, without the library of HDF5.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <argosy/file/basic_file.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/detail/hdf5/hdf5_access.hpp>
#include <argosy/format/detail/hdf5/hdf5_chunks.hpp>
#include <argosy/format/detail/hdf5/hdf5_file.hpp>
#include <argosy/format/detail/unfinished_file.hpp>
#include <argosy/format/detail/written_mark.hpp>
#include <argosy/format/hdf5_content.hpp>

namespace argosy {
namespace detail {
template <communicator World>
class joint_call;
}  // namespace detail

// An HDF5 file. `io::hdf5` is this class on MPI: hdf5.hpp. Movable. All calls except content(),
// file() and what_failed() are collective, and result in an error on every rank or on none.
//
// Groups, datasets and attributes are known before the file is made. One rank writes them, and all
// ranks write the data. Other programs must not write the file at the same time.
template <communicator World>
class basic_hdf5 {
 public:
  basic_hdf5() = default;  // not open

  // Makes a new file. Collective. The content must be equal on all ranks. Elements that no rank
  // writes are zeros.
  //   io::hdf5_content c;
  //   c.add("u", tile, {.attributes = {{"units", "K"}}});
  //   auto f = io::hdf5::create(world, "run.h5", c);
  //   f.write_all("u", tile, io::interior(u, {1, 1}));
  //   f.close();
  // The file has its name only after `close`. Until then a file of another name has the data, and
  // an old file of this name stays as it is. Throws errc::argument if HDF5 cannot have the content,
  // and errc::unsupported if this build has no library of a filter.
  static basic_hdf5 create(World const& world, std::string const& path, hdf5_content const& content,
                           detail::hinted with = {}, opener files = posix_opener());
  // Opens an existing file, for reading or with mode::read_write. Collective. Throws errc::damaged
  // if its metadata is invalid. Throws errc::unsupported if the file as a whole uses what this
  // library does not read; the message names it.
  static basic_hdf5 open(World const& world, std::string const& path,
                         argosy::mode modes = mode::read, detail::hinted with = {},
                         opener files = posix_opener());
  // Returns the content of a file. Collective.
  static hdf5_content content_of(World const& world, std::string const& path,
                                 detail::hinted with = {}, opener files = posix_opener());

  // Writes or reads this rank's part of a dataset. Collective. The data must be the whole part, of
  // its type or as bytes. Throws errc::datatype if it is not, or if the dataset has another type or
  // shape. Throws errc::argument if there is no such dataset.
  //
  // A policy of the call concerns datasets without filters. With filters, each chunk has one rank
  // that encodes it; other ranks send it their elements.
  report write_all(std::string const& dataset, array_part const& part, source from,
                   access_options with = {});
  // The second call throws errc::damaged if a chunk does not fit its filters. It throws
  // errc::unsupported if the dataset uses what this library does not read; the message names it.
  report read_all(std::string const& dataset, array_part const& part, target into,
                  access_options with = {});

  // Gives a dataset more elements along its first dimension, at most `most` of its options.
  // Collective. New elements are zeros. The file must have been written by this library, and be
  // open with mode::read_write.
  void grow(std::string const& dataset, std::int64_t elements, on_error e = {});
  // Gives an attribute of a group or a dataset another value of the same type and shape.
  // Collective. `sync` and `close` write it. Throws errc::argument if there is no such attribute.
  // The file must have been written by this library, and be open with mode::read_write.
  //   f.set_attribute("fields", {"steps", 12});
  void set_attribute(std::string const& object, hdf5_attribute const& value, on_error e = {});
  // Puts the data on the storage, and then the metadata that says where it is. Collective. A new
  // file still has its name only after `close`.
  void sync(on_error e = {});
  // Closes the file, after what `sync` does. Collective. A new file gets its name. Throws
  // errc::damaged if the last write_all of some dataset of a new file failed; the file is then
  // removed.
  void close(on_error e = {});

  // Returns the content of the file that is open, or was open last. Local.
  hdf5_content const& content() const noexcept { return facts_.content; }
  // Returns the file, for its hints and counts. Local.
  basic_file<World>& file() noexcept { return file_; }
  // Returns the text of the last error on this rank, also after later successes. Local.
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  using joint = detail::joint_call<World>;
  void make(joint const& s, std::string const& path, hdf5_content const& content,
            detail::hinted const& with, opener const& files);
  void find(joint const& s, bool to_write);
  template <class Find>
  void find_on_first(joint const& s, Find&& find);
  void find_chunks(joint const& s, std::size_t dataset);
  detail::hdf5_read reader();
  void look_at_all(joint const& s);
  template <class Data>
  detail::hdf5_access prepare(joint const& s, std::string const& dataset, array_part const& part,
                              Data& data, bool to_write) const;
  void note_write(std::string const& dataset, bool broken) noexcept;
  report read_chunks(joint const& s, std::size_t dataset, array_part const& part,
                     target const& into);
  report write_chunks(joint const& s, std::size_t dataset, array_part const& part,
                      source const& from);
  std::int64_t write_round(joint const& s, detail::hdf5_chunk_writes& writes, std::int64_t round);
  void share_chunks(joint const& s, std::size_t dataset, detail::hdf5_chunk_writes const& writes);
  void write_head(joint const& s);
  void publish(joint const& s);
  template <class Body>
  void in_call(std::string_view name, extend::source_location where, std::error_code* code,
               Body&& body);

  basic_file<World> file_;
  detail::hdf5_file facts_;
  std::vector<std::byte> head_;  // the metadata in the file, on rank 0
  bool writes_ = false;          // the file was opened for writing
  bool is_new_ = false;          // a new file that has not been closed
  // For each dataset of a new file: true if its last write failed on this rank.
  std::vector<bool> broken_;
  int threads_ = 0;               // that encode chunks; 0: not chosen yet
  detail::unfinished_file part_;  // the temporary file, while a new one is written
  std::string path_;              // the name of a new file, valid in every working directory
  std::optional<opener> files_;
  detail::written_mark mark_;
  std::string what_failed_;
};

}  // namespace argosy
