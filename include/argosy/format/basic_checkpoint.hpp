// A checkpoint: named arrays and values in one file, whole or not there, written and read by any
// number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/file/basic_file.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/checkpoint_header.hpp>
#include <argosy/format/detail/saved_value.hpp>

namespace argosy {
namespace detail {
template <communicator World>
class joint_call;
}  // namespace detail

// `io::checkpoint` is this on MPI: checkpoint.hpp. It names what belongs to the state of a program,
// once for saving and loading:
//   io::checkpoint state;
//   state.add("step", step).add("u", tile, io::interior(u, {1, 1, 1}));
//   state.save(world, "state.checkpoint");
//   state.load(world, "state.checkpoint");  // any other day, any number of ranks
// It refers to the data, which must live on. Containers that can be resized may be given other
// elements meanwhile: it looks at them when it saves and loads. Of all else, of spans and of arrays
// with a shape, it keeps the address.
template <communicator World>
class basic_checkpoint {
 public:
  // An array in the file, of which `data` is this rank's part. Names are the same on all ranks, in
  // the same order.
  template <class T>
  basic_checkpoint& add(std::string name, array_part part, T&& data) {
    auto described = [part = std::move(part)](source from) {
      return content{part, std::move(from)};
    };
    return add<T>(std::move(name), data, false, std::move(described));
  }
  // Adds chosen members of all elements, of which the array is then made.
  //   state.add("particles", io::subarray({all}, {n}, {first}, choice), particles, choice);
  template <class Elements, detail::choice_of_members Choice>
  basic_checkpoint& add(std::string name, array_part part, Elements& elements,
                        Choice const& choice) {
    auto now = [&elements, part = std::move(part), choice] {
      return content{part, source(elements, choice)};
    };
    using one = std::remove_pointer_t<decltype(std::ranges::data(elements))>;
    entries_.push_back({std::move(name), std::move(now), !std::is_const_v<one>, false});
    return *this;
  }
  // What is the same on all ranks, else saving is errc::not_same: a number, a described struct, an
  // array or a pair of these, a std::optional of them, a list of them such as a std::vector or a
  // std::string, and lists in a list, also of different lengths: std::vector<std::vector<double>>.
  // It is saved once, and all ranks load it. Lists that can be resized get the size that the file
  // has. An optional value is an array of one element or of none. Lists in a list are two arrays:
  // `name` has all elements, `name`.lengths how many are in each list.
  template <class T>
  basic_checkpoint& add(std::string name, T& value) {
    using bare = std::remove_const_t<T>;
    if constexpr (element_type<bare>) {
      return add<T&>(std::move(name), value, true,
                     [](source from) { return content{array_part(type<bare>), std::move(from)}; });
    } else if constexpr (detail::is_optional_element<bare>) {
      return add_optional(std::move(name), value);
    } else if constexpr (detail::ragged_rows<bare>) {
      return add_rows(std::move(name), value);
    } else if constexpr (detail::element_list<bare> && std::ranges::contiguous_range<bare>) {
      return add_list(std::move(name), value);
    } else {
      detail::refuse_value<bare>();
      return *this;
    }
  }

  // Collective: ends with an error on all ranks, or on none. Everything is written to another file
  // beside `path`, with the checksums of its blocks, synced, and takes the name at the end; so at
  // every moment, also after a crash or an error, `path` is the old checkpoint or the new one,
  // whole. errc::datatype if the parts do not cover an array exactly once. After an error the other
  // file is removed; what a crash leaves of it is called path.<16 letters>.part, and of no use.
  // Needs twice the space.
  void save(World const& world, std::string const& path, detail::hinted with = {},
            opener files = posix_opener());
  // Collective. The file may have more arrays than these. errc::datatype if an array has another
  // type or shape, or is not there. errc::damaged names the blocks whose bytes are not what was
  // written: those that the parts of the ranks cover exactly once are looked at in memory, without
  // reading more; of other blocks that a rank reads of, one rank reads the whole. After an error
  // the data is something.
  void load(World const& world, std::string const& path, detail::hinted with = {},
            opener files = posix_opener());

  // What a file has. Collective.
  static checkpoint_header header_of(World const& world, std::string const& path,
                                     detail::hinted with = {}, opener files = posix_opener());
  // Of the last call on this rank that failed.
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  using joint = detail::joint_call<World>;
  struct content {
    array_part part = type<std::byte>;
    source data = {};
  };
  struct entry {
    std::string name;
    std::function<content()> now;
    bool writable;    // load may change it
    bool everywhere;  // all ranks have the same
    // gives it the size that the file has
    std::function<failure(detail::checkpoint_array const&)> fit = {};
    bool later = false;  // its size is known when the entries before it are loaded
  };
  template <class T>
  static constexpr bool is_target =
      std::convertible_to<decltype(memory(std::declval<T>())), buffer>;
  struct share;  // of the blocks of an array: the work of one rank

  template <class T, class Data, class Describe>
  basic_checkpoint& add(std::string name, Data& data, bool everywhere, Describe describe) {
    std::function<content()> now;
    if constexpr (std::is_lvalue_reference_v<T> &&
                  requires(std::remove_cvref_t<T>& x) { x.resize(1); })
      now = [&data, describe] { return describe(source(data)); };
    else
      now = [from = source(std::forward<T>(data)), describe] { return describe(from); };
    entries_.push_back({std::move(name), std::move(now), is_target<T>, everywhere});
    return *this;
  }
  template <class T>
  basic_checkpoint& add_list(std::string name, T& list) {
    using element_of = std::ranges::range_value_t<T>;
    add<T&>(std::move(name), list, true, [](source from) {
      std::int64_t const n =
          from.fault() ? 0 : from.buffer().size() / detail::types_of<element_of>().size();
      return content{detail::list_of<element_of>(n), std::move(from)};
    });
    if constexpr (detail::resizable_range<T>)
      entries_.back().fit = [&list](detail::checkpoint_array const& a) -> failure {
        if (auto const n = detail::length_in<element_of>(a))
          list.resize(static_cast<std::size_t>(*n));
        return {};
      };
    return *this;
  }
  template <class T>
  basic_checkpoint& add_optional(std::string name, T& value) {
    using element_of = typename T::value_type;
    auto now = [&value] {
      return content{detail::list_of<element_of>(value ? 1 : 0), value ? source(*value) : source()};
    };
    entries_.push_back({std::move(name), std::move(now), !std::is_const_v<T>, true});
    if constexpr (!std::is_const_v<T> && std::default_initializable<element_of>)
      entries_.back().fit = [&value](detail::checkpoint_array const& a) -> failure {
        auto const n = detail::length_in<element_of>(a);
        if (n == 0) value.reset();
        if (n == 1 && !value) value.emplace();
        return {};
      };
    return *this;
  }
  template <class T>
  basic_checkpoint& add_rows(std::string name, T& rows) {
    using element_of = std::ranges::range_value_t<std::ranges::range_value_t<T>>;
    auto const lengths = std::make_shared<std::vector<std::int64_t>>();
    auto const lengths_now = [&rows, lengths] {
      detail::lengths_of(rows, *lengths);
      return content{detail::list_of<std::int64_t>(std::ssize(*lengths)), source(*lengths)};
    };
    auto const rows_now = [&rows] {
      source from(detail::memory_of_rows(rows));
      std::int64_t const n =
          from.fault() ? 0 : from.buffer().size() / detail::types_of<element_of>().size();
      return content{detail::list_of<element_of>(n), std::move(from)};
    };
    constexpr bool writable = is_target<decltype(*std::ranges::data(rows))>;
    entries_.push_back({name + ".lengths", lengths_now, writable, true});
    if constexpr (detail::resizable_range<T>)
      entries_.back().fit = [&rows](detail::checkpoint_array const& a) -> failure {
        if (auto const n = detail::length_in<std::int64_t>(a))
          rows.resize(static_cast<std::size_t>(*n));
        return {};
      };
    entries_.push_back({name, rows_now, writable, true, {}, true});
    entries_.back().fit = [&rows, lengths, name](detail::checkpoint_array const& a) -> failure {
      auto const n = detail::length_in<element_of>(a);
      failure wrong = n ? detail::fault_of_lengths(*lengths, *n, name) : failure();
      if (wrong || !n) return wrong;
      std::size_t i = 0;
      for (auto& row : rows) {
        if constexpr (detail::resizable_range<std::remove_reference_t<decltype(row)>>)
          row.resize(static_cast<std::size_t>((*lengths)[i]));
        else if (std::ranges::size(row) != static_cast<std::size_t>((*lengths)[i]))
          return {errc::datatype,
                  "row " + std::to_string(i) + " of '" + name + "' has another length in the file"};
        ++i;
      }
      return {};
    };
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
  static failure prepare(entry const& e, checkpoint_header const& h, content& c,
                         argosy::view& into);
  void write(joint const& s, basic_file<World>& f, checkpoint_header const& h,
             std::vector<content> const& all) const;
  void write_array(joint const& s, basic_file<World>& f, checkpoint_header const& h, std::size_t i,
                   content const& c) const;
  void read(joint const& s, basic_file<World>& f, checkpoint_header const& h) const;
  static void read_array(joint const& s, basic_file<World>& f, checkpoint_header const& h,
                         entry const& e, content const& c, argosy::view const& v);
  // A file beside the checkpoint, before it takes the name.
  struct unfinished {
    std::string path = {};                     // as the program names the checkpoint
    std::string full_path = {};                // also when the program is in another directory
    std::uint64_t number;                      // by which it is called
    std::optional<unsigned> permissions = {};  // that it gets with its name, on rank 0
  };
  static void choose_permissions(joint const& s, std::string const& path, opener const& files,
                                 argosy::hints const& given, unfinished& part, argosy::hints& own);
  void save_in(joint const& s, basic_file<World>& f, std::string const& to, unfinished const& part,
               checkpoint_header const& h, std::vector<content> const& all, opener const& files,
               bool& named) const;
  static checkpoint_header find(joint const& s, basic_file<World>& f);

  std::vector<entry> entries_;
  std::string what_failed_;
};

}  // namespace argosy
