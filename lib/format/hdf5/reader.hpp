// Reads the metadata of an HDF5 file: object headers, links, and the messages of datasets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/format/detail/hdf5/hdf5_file.hpp>

#include "bytes.hpp"
#include "datatype.hpp"
#include "messages.hpp"

namespace argosy::detail::hdf5 {

// The bytes of a file. Bytes beyond its end are damage. Trees and heaps may be read several times,
// but a file whose parts refer to each other without end is refused.
class metadata {
 public:
  metadata(hdf5_read const& read, std::int64_t file_bytes)
      : read_(read),
        file_bytes_(file_bytes),
        left_((std::int64_t{64} << 20) + 64 * std::min(file_bytes, std::int64_t{1} << 50)) {}

  std::int64_t file_bytes() const noexcept { return file_bytes_; }
  std::vector<std::byte> at(std::int64_t address, std::int64_t bytes, std::string_view what) const;
  // Returns as many bytes, or fewer at the end of the file.
  std::vector<std::byte> start_at(std::int64_t address, std::int64_t most,
                                  std::string_view what) const;

 private:
  hdf5_read const& read_;
  std::int64_t file_bytes_;
  mutable std::int64_t left_;  // the bytes that may be read, with some for each read
};

// A message of an object header.
struct found_message {
  unsigned kind = 0;
  bool shared = false;  // the content says where the message is
  std::vector<std::byte> content = {};
};

// Returns the messages of an object header of version 1 or 2, without those that mean nothing.
std::vector<found_message> messages_at(metadata const& file, std::int64_t address);
// Returns the first message of a kind, or null.
found_message const* find(std::vector<found_message> const& all, message kind);

// A link of a group. Other links than those to objects of the file have no address.
struct found_link {
  std::string name;
  std::int64_t address = -1;
  std::string what = {};  // "a soft link"
};

// Returns true if the object is a group.
bool is_group(std::vector<found_message> const& object);
// Returns the links of a group, in the order of the file.
std::vector<found_link> links_in(metadata const& file, std::vector<found_message> const& group);

// The shape of a dataset or an attribute.
struct found_space {
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> most = {};  // -1: unlimited; empty: the shape
  bool is_null = false;                 // no element at all
};
found_space take_dataspace(taker& from);

// Returns the datatype of a message, which may be that of another object.
file_type datatype_of(metadata const& file, found_message const& m);

// An attribute of the file, before it is known whether a program gets it.
struct found_attribute {
  hdf5_attribute value;
  file_type::special what = file_type::special::none;
};
// Takes all attributes of an object that can be read. Sets `left_out` to the reason if some cannot
// be found.
std::vector<found_attribute> attributes_of(metadata const& file,
                                           std::vector<found_message> const& object,
                                           failure& left_out);

// Sets the shape, the type and the place of a dataset. Throws if its data cannot be read.
void take_dataset(metadata const& file, std::vector<found_message> const& object, hdf5_dataset& d,
                  hdf5_place& p);

// Returns the messages in a fractal heap, which a B-tree of their names lists. Each of its records
// has the place of a message behind so many bytes.
std::vector<std::vector<std::byte>> dense_messages(metadata const& file, std::int64_t heap,
                                                   std::int64_t names, std::size_t before);

// Returns the bytes of an object of a global heap.
std::vector<std::byte> heap_object(metadata const& file, std::int64_t heap, std::uint64_t index);

}  // namespace argosy::detail::hdf5
