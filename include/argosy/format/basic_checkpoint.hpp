// A checkpoint: named arrays and values in one file, which is either whole or missing. Any number
// of ranks can write and read it.
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
#include <argosy/format/detail/unfinished_file.hpp>

namespace argosy {
namespace detail {
template <communicator World>
class joint_call;
}  // namespace detail

// The state of a program, named once for saving and loading. `io::checkpoint` is this class on MPI:
// checkpoint.hpp.
//   io::checkpoint state;
//   state.add_value("step", step).add("u", tile, io::interior(u, {1, 1, 1}));
//   state.save(world, "state.checkpoint");
//   state.load(world, "state.checkpoint");  // any other day, any number of ranks
// The object refers to the data, which must outlive it. Containers that can be resized may get
// other elements meanwhile, because save and load ask them again. All other data, such as spans and
// arrays with a shape, must stay at its address.
template <communicator World>
class basic_checkpoint {
 public:
  // Adds an array of the file; `data` is this rank's part. Local. Names must be the same on all
  // ranks, in the same order.
  template <class T>
  basic_checkpoint& add(std::string name, array_part part, T&& data) {
    auto const described = [part = std::move(part)](source from) {
      return content{part, std::move(from)};
    };
    return add_entry<T>(std::move(name), data, false, described);
  }
  // Adds an array of chosen members of all elements. Local.
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
  // Adds a value that is equal on all ranks. It is saved once, and all ranks load it. Local. If
  // ranks differ, save reports errc::not_same.
  //
  // A value is a number, a described struct, an array or a pair of these, or a std::optional of
  // them. It may be a list of them, such as a std::vector or a std::string, and a list of lists of
  // any lengths: std::vector<std::vector<double>>.
  //
  // Lists that can be resized get the size of the file. An optional value is an array of one
  // element or of none. A list of lists is two arrays: `name` has all elements, `name`.lengths the
  // number of elements of each list.
  template <class T>
  basic_checkpoint& add_value(std::string name, T& value) {
    using bare = std::remove_const_t<T>;
    if constexpr (element_type<bare>) {
      return add_entry<T&>(std::move(name), value, true, [](source from) {
        return content{array_part(type<bare>), std::move(from)};
      });
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

  // Adds an array that is equal on all ranks, with all its elements on each of them: `whole` is a
  // part with all elements. It is saved once, and all ranks load it. Local. If ranks differ, save
  // reports errc::not_same.
  //   state.add_value("table", io::subarray({9, 4}, {9, 4}, {0, 0}, io::type<double>), table);
  template <class T>
  basic_checkpoint& add_value(std::string name, array_part whole, T&& data) {
    auto const described = [part = std::move(whole)](source from) {
      return content{part, std::move(from)};
    };
    return add_entry<T>(std::move(name), data, true, described);
  }

  // Encodes the blocks of later saves by these steps, in their order. Local. Each block of an array
  // has `block_bytes` bytes, from 512 to 64 MiB, and is encoded by one rank. Without codecs, later
  // saves do not encode. Loads find the codecs in the file.
  //   state.encode({io::zarr_codec::zstd(3)});
  // Save throws errc::argument if the settings are wrong. It throws errc::unsupported if this build
  // does not have a codec, and if a codec is not gzip, zstd, blosc or crc32c.
  basic_checkpoint& encode(std::vector<zarr_codec> codecs,
                           std::int64_t block_bytes = std::int64_t{1} << 20) {
    codecs_ = std::move(codecs);
    block_bytes_ = block_bytes;
    return *this;
  }

  // Saves the state. Collective. The result is an error on all ranks, or on none. Throws
  // errc::datatype if the parts do not cover an array exactly once. Throws errc::not_same if names,
  // arrays or values differ between ranks. Throws errc::argument if a name is empty or used twice.
  // Throws errc::unsupported if files cannot be renamed there.
  //
  // All data is written to a temporary file next to `path`, with the checksums of its blocks. That
  // file is synced, and then renamed to `path`. At every moment, even after a crash or an error,
  // `path` is therefore the whole old checkpoint or the whole new one. After an error the temporary
  // file is removed. A crash may leave it as path.<16 hexadecimal digits>.part, which is of no use.
  // Needs twice the space.
  void save(World const& world, std::string const& path, detail::hinted with = {},
            opener files = posix_opener());
  // Loads the state. Collective. The file may have more arrays than the object. Throws
  // errc::datatype if an array is missing or has another type or shape. Throws errc::argument if
  // data of the object is const. Throws errc::damaged if the file is not a whole checkpoint, or if
  // bytes are not those that were written. Its text names the first such block and counts the
  // others. After an error the data is unspecified.
  //
  // A block that the parts of the ranks cover exactly once is checked in memory, without further
  // reads. If a rank reads from any other block, one rank reads the whole block. It does so for all
  // blocks if the file has the other byte order.
  void load(World const& world, std::string const& path, detail::hinted with = {},
            opener files = posix_opener());

  // Returns the header of a file. Collective. Throws errc::damaged if the file is not a whole
  // checkpoint.
  static checkpoint_header header_of(World const& world, std::string const& path,
                                     detail::hinted with = {}, opener files = posix_opener());
  // Returns the text of the last error on this rank, also after later successes. Local.
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
    bool everywhere;  // equal on all ranks
    // Gives the data the size that the file has.
    std::function<extend::failure(detail::checkpoint_array const&)> fit = {};
    bool later = false;  // its size is known only after the entries before it are loaded
  };
  template <class T>
  static constexpr bool is_target =
      std::convertible_to<decltype(memory(std::declval<T>())), buffer>;
  struct share;  // one rank's part of the checksums of an array

  template <class T, class Data, class Describe>
  basic_checkpoint& add_entry(std::string name, Data& data, bool everywhere,
                              Describe const& describe) {
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
    add_entry<T&>(std::move(name), list, true, [](source from) {
      std::int64_t const n =
          from.fault() ? 0 : from.buffer().size() / detail::types_of<element_of>().size();
      return content{detail::list_of<element_of>(n), std::move(from)};
    });
    if constexpr (detail::resizable_range<T>)
      entries_.back().fit = [&list](detail::checkpoint_array const& a) -> extend::failure {
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
      entries_.back().fit = [&value](detail::checkpoint_array const& a) -> extend::failure {
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
      entries_.back().fit = [&rows](detail::checkpoint_array const& a) -> extend::failure {
        if (auto const n = detail::length_in<std::int64_t>(a))
          rows.resize(static_cast<std::size_t>(*n));
        return {};
      };
    entries_.push_back({name, rows_now, writable, true, {}, true});
    entries_.back().fit = [&rows, lengths,
                           name](detail::checkpoint_array const& a) -> extend::failure {
      auto const n = detail::length_in<element_of>(a);
      extend::failure wrong = n ? detail::fault_of_lengths(*lengths, *n, name) : extend::failure();
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
  // Returns the current places of all data.
  std::vector<content> look() const {
    std::vector<content> all;
    for (entry const& e : entries_) all.push_back(e.now());
    return all;
  }
  checkpoint_header plan(std::vector<content> const& all, extend::failure& why) const;
  std::string lines(std::vector<content> const& all) const;
  static extend::failure prepare(entry const& e, checkpoint_header const& h, content& c,
                                 argosy::view& into);
  void write(joint const& s, basic_file<World>& f, checkpoint_header const& h,
             std::vector<content> const& all) const;
  void write_encoded(joint const& s, basic_file<World>& f, checkpoint_header const& h,
                     std::vector<content> const& all, argosy::hints const& given) const;
  // Returns true if this rank writes its part of an array. Values that all ranks have are written
  // by rank 0.
  bool brings(std::size_t array, int rank) const {
    return !entries_[array].everywhere || rank == 0;
  }
  static extend::failure views_of(checkpoint_header const& h, std::vector<content> const& all,
                                  std::vector<argosy::view>& views);
  void read(joint const& s, basic_file<World>& f, checkpoint_header const& h) const;
  // An array that load() reads.
  struct loaded {
    entry const* of;
    detail::checkpoint_array const* array;
    content const* to;
    argosy::view const* through;
  };
  static void read_arrays(joint const& s, basic_file<World>& f, checkpoint_header const& h,
                          std::vector<loaded> const& these);
  void save_in(joint const& s, basic_file<World>& f, std::string const& to,
               detail::unfinished_file const& part, checkpoint_header const& h,
               std::vector<content> const& all, argosy::hints const& given, opener const& files,
               bool& named) const;
  static checkpoint_header find(joint const& s, basic_file<World>& f);

  std::vector<entry> entries_;
  std::vector<zarr_codec> codecs_;
  std::int64_t block_bytes_ = 0;  // with codecs
  std::string what_failed_;
};

}  // namespace argosy
