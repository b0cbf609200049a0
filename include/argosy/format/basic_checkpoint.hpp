// A checkpoint: named arrays and values in one file, whole or not there, written and read by any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/file/basic_file.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/checkpoint_header.hpp>

namespace argosy {

// `io::checkpoint` is this on MPI: checkpoint.hpp. It names what belongs to the state of a program, once for saving and loading:
//   io::checkpoint state;
//   state.add("step", step).add("u", tile, io::interior(u, {1, 1, 1}));
//   state.save(world, "state.checkpoint");
//   state.load(world, "state.checkpoint");  // any other day, any number of ranks
// It refers to the data, which must stay where it is.
template <communicator World>
class basic_checkpoint {
 public:
  // An array in the file, of which `data` is this rank's part. Names are the same on all ranks, in the same order.
  template <class T>
  basic_checkpoint& add(std::string name, array_part part, T&& data) {
    return add({std::move(name), std::move(part), source(std::forward<T>(data)), is_target<T>, false});
  }
  // What is the same on all ranks: a number, a described struct, a vector of them. Rank 0's is saved, and all ranks load it.
  template <class T>
  basic_checkpoint& add(std::string name, T& value) {
    using bare = std::remove_const_t<T>;
    if constexpr (element_type<bare>) {
      return add({std::move(name), type<bare>, source(value), is_target<T&>, true});
    } else {
      using element_of = std::ranges::range_value_t<T>;
      return add({std::move(name),
                  detail::all_of({static_cast<std::int64_t>(std::ranges::size(value))},
                                 detail::inner_type_of<element_of>(), types_of<element_of>()),
                  source(value), is_target<T&>, true});
    }
  }

  // Collective: ends with an error on all ranks, or on none. Everything is written to another file beside `path`, with the
  // checksums of its blocks, synced, and takes the name at the end; so at every moment, also after a crash or an error, `path`
  // is the old checkpoint or the new one, whole. errc::datatype if the parts do not cover an array exactly once. After an error
  // the other file is removed; what a crash leaves of it is called path.<16 letters>.part, and of no use. Needs twice the space.
  void save(World const& world, std::string const& path, hinted with = {}, opener files = posix_opener());
  // Collective. The file may have more arrays than these. errc::datatype if an array has another type or shape, or is not there.
  // errc::damaged names the blocks whose bytes are not what was written: those that the parts of the ranks cover exactly once are
  // looked at in memory, without reading more; of other blocks that a rank reads of, one rank reads the whole. After an error
  // the data is something.
  void load(World const& world, std::string const& path, hinted with = {}, opener files = posix_opener());

  // What a file has. Collective.
  static checkpoint_header header_of(World const& world, std::string const& path, hinted with = {},
                                     opener files = posix_opener());
  // Of the last call on this rank that failed.
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  struct entry {
    std::string name;
    array_part part;
    source data;
    bool writable;    // load may change it
    bool everywhere;  // all ranks have the same
  };
  template <class T>
  static constexpr bool is_target = std::convertible_to<decltype(memory(std::declval<T>())), buffer>;
  struct share;  // of the blocks of an array: the work of one rank

  basic_checkpoint& add(entry e) {
    entries_.push_back(std::move(e));
    return *this;
  }
  checkpoint_header plan(failure& why) const;
  void write(basic_file<World>& f, checkpoint_header const& h) const;
  void read(basic_file<World>& f, checkpoint_header const& h) const;
  void save_as(World const& world, std::string const& path, std::string const& temporary, checkpoint_header const& h,
               hinted const& with, opener const& files) const;
  static checkpoint_header find(basic_file<World>& f);

  std::vector<entry> entries_;
  std::string what_failed_;
};

}  // namespace argosy
