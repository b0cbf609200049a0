// An array in a Zarr store, which zarr-python, xarray and tensorstore open. The ranks of a world
// write and read it together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <argosy/file/basic_file.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/detail/zarr/zarr_file.hpp>
#include <argosy/format/detail/zarr/zarr_grid.hpp>
#include <argosy/format/zarr_group.hpp>
#include <argosy/format/zarr_header.hpp>
#include <argosy/format/zarr_report.hpp>

namespace argosy {
namespace detail {
template <communicator World>
class joint_call;
}  // namespace detail

// An array of version 3 of Zarr, in a directory. `io::zarr` is this class on MPI: zarr.hpp.
// Movable. All calls except encoding(), header(), file() and what_failed() are collective, and
// result in an error on every rank or on none.
//
// One shard is one file. A shard that is written gets a new file, which replaces the old one at
// once. After a crash each shard is therefore the old one or the new one. Ranks of one job never
// write a shard at the same time. Other programs must not write the array meanwhile.
template <communicator World>
class basic_zarr {
 public:
  basic_zarr() = default;  // not open

  // Makes a new array. Collective. Shape, type and options must be equal on all ranks. Elements
  // that no rank writes have the fill value.
  //   auto z = io::zarr::create(world, "u.zarr", tile, {.codecs = {io::zarr_codec::zstd()}});
  //   z.write_all(io::interior(u, {1, 1}));
  //   z.close();
  // The array has its name only after `close`. Until then a directory of another name has it, and
  // an old array of this name stays as it is. Throws errc::file_exists if the path has something
  // else than an array. Throws errc::unsupported if this build has no library of a codec.
  static basic_zarr create(World const& world, std::string const& path, array_part const& part,
                           zarr_options const& how = {}, detail::hinted with = {},
                           opener files = posix_opener());
  // Opens an existing array, for reading or with mode::read_write. Collective. Throws
  // errc::datatype if its type or shape is not that of `part`, and errc::damaged if its metadata is
  // invalid. Arrays of version 2 of the format can be opened for reading only.
  static basic_zarr open(World const& world, std::string const& path, array_part const& part,
                         argosy::mode modes = mode::read, detail::hinted with = {},
                         opener const& files = posix_opener());
  // Returns the metadata of an array. Collective.
  static zarr_header header_of(World const& world, std::string const& path,
                               detail::hinted with = {}, opener files = posix_opener());
  // Makes a group, in which arrays and other groups may lie, with attributes as a JSON object.
  // Collective. If the group exists, it gets these attributes.
  static void create_group(World const& world, std::string const& path,
                           std::string const& attributes = {}, detail::hinted with = {},
                           opener const& files = posix_opener());
  // Returns the metadata of a group and of all below it. Collective. Reads the consolidated
  // metadata if the group has it. Otherwise lists the directories. Throws errc::datatype if the
  // path has an array.
  static zarr_group group_of(World const& world, std::string const& path, detail::hinted with = {},
                             opener const& files = posix_opener());
  // Writes the metadata of all below a group into that of the group, so that a reader opens one
  // file. Collective. From then on create(), grow(), close() and create_group() renew it.
  static void consolidate(World const& world, std::string const& path, detail::hinted with = {},
                          opener const& files = posix_opener());

  // Copies a store, an array or a group, into one zip file, as zarr-python's ZipStore has it.
  // Collective. Each rank copies a share of the files. The zip file has its name only when it is
  // whole, and replaces an older one. io::zip_opener reads it. Throws errc::file_exists if the path
  // has a file that is no zip file.
  static void pack(World const& world, std::string const& path, std::string const& zip,
                   detail::hinted with = {}, opener const& files = posix_opener());

  // Writes or reads this rank's part. Collective. The data must be the whole part, of its type or
  // as bytes. Throws errc::datatype if it is not. read_all() throws errc::damaged if a chunk does
  // not fit its codecs or its checksum; the message names the shard.
  report write_all(source from, access_options with = {});
  report read_all(target into, access_options with = {});

  // Returns which rank would encode which shards in such a call, and with how much memory.
  // Collective. The file is not accessed.
  zarr_plan explain_all(access_kind kind, source data, access_options with = {});

  // Chooses another part of the array for this rank. Collective. Throws errc::datatype if the type
  // or the shape is another one.
  void set_part(array_part const& part, on_error e = {});
  // Makes the array larger, as the shape of `part` says, and chooses that part. Collective. No side
  // may become shorter. New elements have the fill value. The array must be open with
  // mode::read_write. The old array or the larger one is there after a crash.
  void grow(array_part const& part, on_error e = {});
  // Closes the array. Collective. A new array gets its name. Throws errc::damaged if the last
  // write_all to a new array failed; it is then removed.
  void close(on_error e = {});

  // Returns the metadata of the array that is open, or was open last. Local.
  zarr_header const& header() const noexcept { return header_; }
  // Returns what this rank has encoded and decoded since it opened or created the array, also after
  // it was closed. Local. Threads are chosen by the hint argosy_codec_threads.
  zarr_encoding encoding() const { return told_ ? told_->counts.get() : zarr_encoding(); }
  // Returns the file, for its reports, hints and counts. Local. Its bytes are the decoded shards
  // one behind the other.
  basic_file<World>& file() noexcept { return file_; }
  // Returns the text of the last error on this rank, also after later successes. Local.
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  using joint = detail::joint_call<World>;
  enum class progress { none, begun, failed };  // state of a new array, until it is closed
  static zarr_header find(joint const& s, std::string const& path, opener const& files);
  void make(joint const& s, std::string const& path, array_part const& part,
            zarr_options const& how, detail::hinted const& with, opener const& files);
  void start(joint const& s, array_part const& part, detail::hinted const& with, mode modes);
  void choose(joint const& s, array_part const& part);
  void choose_threads(joint const& s, argosy::hints const& given);
  void discard(joint const& s);
  void reopen(joint const& s, array_part const& part);
  template <class Data>
  void arrange(Data& data) const;
  template <class Data>
  extend::any_policy policy_for(joint const& s, access_kind kind, Data const& data,
                                extend::any_policy&& given) const;
  template <class Body>
  void in_call(std::string_view name, extend::source_location where, std::error_code* code,
               Body&& body);

  basic_file<World> file_;
  zarr_header header_;
  std::optional<array_part> part_;
  detail::zarr_selection selection_;
  progress state_ = progress::none;
  std::string path_, unfinished_;  // unfinished_: the name of a new array
  mode modes_ = mode::none;
  argosy::hints hints_;  // that the program gave
  std::optional<opener> files_;
  std::shared_ptr<detail::zarr_reports> told_;
  int threads_ = 0;  // for chunks; 0: not chosen yet
  std::int64_t window_bytes_ = 1;
  bool ranks_are_chosen_ = false;  // by hints
  std::string what_failed_;
};

}  // namespace argosy
