// A checkpoint: named arrays and values in one file, whole or not there, written and read by any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
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
namespace detail {
template <communicator World>
class joint_call;
}  // namespace detail

// `io::checkpoint` is this on MPI: checkpoint.hpp. It names what belongs to the state of a program, once for saving and loading:
//   io::checkpoint state;
//   state.add("step", step).add("u", tile, io::interior(u, {1, 1, 1}));
//   state.save(world, "state.checkpoint");
//   state.load(world, "state.checkpoint");  // any other day, any number of ranks
// It refers to the data, which must live on. Containers that can be resized may be given other elements meanwhile: it looks at them
// when it saves and loads. Of all else, of spans and of arrays with a shape, it keeps the address.
template <communicator World>
class basic_checkpoint {
 public:
  // An array in the file, of which `data` is this rank's part. Names are the same on all ranks, in the same order.
  template <class T>
  basic_checkpoint& add(std::string name, array_part part, T&& data) {
    auto described = [part = std::move(part)](source from) { return content{part, std::move(from)}; };
    return add<T>(std::move(name), data, false, std::move(described));
  }
  // What is the same on all ranks, else saving is errc::not_same: a number, a described struct, a vector of them. It is saved once,
  // and all ranks load it.
  template <class T>
  basic_checkpoint& add(std::string name, T& value) {
    using bare = std::remove_const_t<T>;
    if constexpr (element_type<bare>) {
      return add<T&>(std::move(name), value, true,
                     [](source from) { return content{array_part(type<bare>), std::move(from)}; });
    } else {
      using element_of = std::ranges::range_value_t<T>;
      return add<T&>(std::move(name), value, true, [](source from) {
        std::int64_t const n = from.fault() ? 0 : from.buffer().size() / detail::types_of<element_of>().size();
        return content{detail::all_of({n}, detail::inner_type_of<element_of>(), detail::types_of<element_of>()),
                       std::move(from)};
      });
    }
  }

  // Collective: ends with an error on all ranks, or on none. Everything is written to another file beside `path`, with the
  // checksums of its blocks, synced, and takes the name at the end; so at every moment, also after a crash or an error, `path`
  // is the old checkpoint or the new one, whole. errc::datatype if the parts do not cover an array exactly once. After an error
  // the other file is removed; what a crash leaves of it is called path.<16 letters>.part, and of no use. Needs twice the space.
  void save(World const& world, std::string const& path, detail::hinted with = {}, opener files = posix_opener());
  // Collective. The file may have more arrays than these. errc::datatype if an array has another type or shape, or is not there.
  // errc::damaged names the blocks whose bytes are not what was written: those that the parts of the ranks cover exactly once are
  // looked at in memory, without reading more; of other blocks that a rank reads of, one rank reads the whole. After an error
  // the data is something.
  void load(World const& world, std::string const& path, detail::hinted with = {}, opener files = posix_opener());

  // What a file has. Collective.
  static checkpoint_header header_of(World const& world, std::string const& path, detail::hinted with = {},
                                     opener files = posix_opener());
  // Of the last call on this rank that failed.
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  using joint = detail::joint_call<World>;
  struct content {
    array_part part;
    source data;
  };
  struct entry {
    std::string name;
    std::function<content()> now;
    bool writable;    // load may change it
    bool everywhere;  // all ranks have the same
  };
  template <class T>
  static constexpr bool is_target = std::convertible_to<decltype(memory(std::declval<T>())), buffer>;
  struct share;  // of the blocks of an array: the work of one rank

  template <class T, class Data, class Describe>
  basic_checkpoint& add(std::string name, Data& data, bool everywhere, Describe describe) {
    std::function<content()> now;
    if constexpr (std::is_lvalue_reference_v<T> && requires(std::remove_cvref_t<T>& x) { x.resize(1); })
      now = [&data, describe] { return describe(source(data)); };
    else
      now = [from = source(std::forward<T>(data)), describe] { return describe(from); };
    entries_.push_back({std::move(name), std::move(now), is_target<T>, everywhere});
    return *this;
  }
  // Where everything lies at this moment.
  std::vector<content> look() const {
    std::vector<content> all;
    for (entry const& e : entries_) all.push_back(e.now());
    return all;
  }
  checkpoint_header plan(std::vector<content> const& all, failure& why) const;
  std::string lines(std::vector<content> const& all) const;
  static failure fault_of(entry const& e, content const& c, checkpoint_header const& h, argosy::view& into);
  void write(joint const& s, basic_file<World>& f, checkpoint_header const& h,
             std::vector<content> const& all) const;
  void write_array(joint const& s, basic_file<World>& f, checkpoint_header const& h, std::size_t i,
                   content const& c) const;
  void read(joint const& s, basic_file<World>& f, checkpoint_header const& h) const;
  static void read_array(joint const& s, basic_file<World>& f, checkpoint_header const& h, entry const& e,
                         content const& c, argosy::view const& v);
  void save_in(joint const& s, basic_file<World>& f, std::string const& path, std::string const& temporary,
               checkpoint_header const& h, std::vector<content> const& all, opener const& files) const;
  static checkpoint_header find(joint const& s, basic_file<World>& f);

  std::vector<entry> entries_;
  std::string what_failed_;
};

}  // namespace argosy
