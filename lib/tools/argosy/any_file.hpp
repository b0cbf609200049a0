// An array in a file of any format, whose type and shape are known at run time only: how a user
// names it, what the file says of it, and its elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/datatype/buffer.hpp>
#include <argosy/datatype/order.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/hdf5_attribute.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/world/communicator.hpp>
#include <format/any_array.hpp>

#include "../arguments/arguments.hpp"

namespace argosy::tool {

using detail::any_selection;
using detail::any_sizes;

enum class array_format { npy, raw, zarr, hdf5, checkpoint };
std::string_view name_of(array_format f);

// An array as a user names it: FILE, or FILE:ARRAY in formats that have several.
struct array_name {
  array_format format = array_format::npy;
  std::string path;
  std::string inside = {};  // empty: the only array of the file
  std::string zip = {};     // the zip file that the path begins with, if there is one

  std::string text() const { return inside.empty() ? path : path + ":" + inside; }
  opener files() const;
};
// Finds the array that the words name. `format` is a name of name_of, or empty: the content of the
// file then says it. The second function is for an array that is to be made: the name says it.
// Both throw usage_error if the format remains unknown. The first throws if there is no such file.
array_name existing_array(std::string const& words, std::string const& format);
array_name new_array(std::string const& words, std::string const& format);

// The description of an array.
struct array_facts {
  detail::any_element of = {};  // the type as in the file
  any_sizes shape = {};
  order in = order::c;
  std::int64_t offset = 0;                        // if the array is one range of the file
  any_sizes chunks = {};                          // empty: the array is one range of the file
  std::string codecs = {};                        // names; blocks of checkpoints may be encoded
  std::string fill_value = {};                    // JSON, if the format is Zarr
  std::vector<std::string> dimension_names = {};  // one for each dimension, or none
  std::string attributes = {};                    // a JSON object, if the format is Zarr
  std::vector<hdf5_attribute> hdf5_attributes = {};

  std::int64_t element_bytes() const noexcept { return of.type.bytes; }
  std::string text() const;  // "'<f8' (30, 20)"
};
// Returns the array of a raw file that the options --type, --shape, --order and --offset describe.
// Throws usage_error if there is none.
array_facts raw_array(arguments const& given);
// Returns sizes from "30x20" or "30,20"; none from an empty text. Throws usage_error.
any_sizes sizes_from(std::string_view option, std::string const& text);

// Return the place of a box in the file, and its elements, which lie densely in memory in the order
// `o`.
array_part part_of(array_facts const& a, any_selection const& box, order in_file);
buffer dense(std::byte* memory, any_selection const& box, order o, array_facts const& a,
             order in_file);

// Reads an array. The calls are collective; elements are in the byte order of this machine.
template <communicator World>
class array_reader {
 public:
  // `raw` describes the array, if the file is raw. Throws if there is no such array.
  array_reader(World const& world, array_name name, array_facts raw);
  ~array_reader();
  array_reader(array_reader const&) = delete;
  array_reader& operator=(array_reader const&) = delete;

  array_facts const& facts() const noexcept { return facts_; }
  void read(any_selection const& box, order o, std::byte* into);
  void close();

 private:
  struct opened;
  std::unique_ptr<opened> file_;
  array_facts facts_;
};

}  // namespace argosy::tool
