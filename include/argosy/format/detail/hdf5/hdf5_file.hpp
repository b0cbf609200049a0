// Facts about an HDF5 file: its content, and the places of the data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/hdf5_content.hpp>

namespace argosy::detail {

// A chunk as the file has it.
struct hdf5_chunk {
  std::int64_t address = -1;   // -1: no chunk; its elements have the fill value
  std::int64_t bytes = 0;      // encoded
  std::uint32_t left_out = 0;  // a bit for each filter that this chunk was not encoded with
  friend bool operator==(hdf5_chunk const&, hdf5_chunk const&) = default;
};

// A filter as the file has it.
struct hdf5_step {
  int id = 0;
  std::vector<std::uint32_t> values = {};
  friend bool operator==(hdf5_step const&, hdf5_step const&) = default;
};

// The place of a dataset in the file.
struct hdf5_place {
  // How the data lies. `compact`: in the metadata. `implicit`: all chunks, one behind the other.
  // The others: an index says where each chunk is.
  enum class kind { contiguous, compact, implicit, single, fixed_array, tree };
  kind what = kind::contiguous;
  std::int64_t address = -1;             // the data, or the index; -1: there is none yet
  std::int64_t bytes = 0;                // the size of contiguous data
  std::vector<std::int64_t> chunk = {};  // elements along each dimension
  std::vector<std::int64_t> most = {};   // the largest shape, which numbers the chunks
  std::int64_t inner = 0;  // the last dimensions, which are arrays as elements for the file
  std::vector<hdf5_step> steps = {};       // filters, in their order
  std::vector<std::byte> fill_value = {};  // one element of the file; empty: zeros
  std::vector<std::byte> compact = {};     // the data, if it is in the metadata
  std::vector<hdf5_chunk> chunks = {};     // by number, once they have been read
  bool has_chunks = false;
  std::int64_t header = -1;  // address of the object header
  failure unreadable = {};   // why the data cannot be read

  bool is_chunked() const noexcept { return what != kind::contiguous && what != kind::compact; }
};

// An object of a file that cannot be read, and the reason.
struct hdf5_unread {
  std::string name;
  failure why;
};

struct hdf5_file {
  hdf5_content content = {};
  std::vector<hdf5_place> places = {};  // one for each dataset
  std::vector<hdf5_unread> unread = {};
  std::int64_t end = 0;  // the end of the file
  // The metadata is in the first bytes of the file, as this library writes it. 0: it is not, so the
  // file cannot grow.
  std::int64_t head_bytes = 0;
};

// Reads bytes of the file. Throws the failure of this rank if they cannot be read.
using hdf5_read = std::function<void(std::int64_t offset, std::span<std::byte> into)>;

// Chooses the places of all datasets of a new file, and checks the content. Returns a failure if a
// file cannot have it. Local.
failure plan_hdf5(hdf5_content const& content, hdf5_file& into);
// Returns the metadata: the first head_bytes of a file that was planned. Local.
std::vector<std::byte> hdf5_head_of(hdf5_file const& f);

// Returns the metadata in a file, if it is as this library writes it; otherwise no bytes. All
// tables of fixed arrays must be known. Local.
std::vector<std::byte> own_hdf5_head(hdf5_read const& read, std::int64_t file_bytes,
                                     hdf5_file const& f);
// Finds a dataset that is to have so many elements along its first dimension. Returns a failure if
// it cannot have them. Local.
failure growth_of(hdf5_file const& f, std::string const& dataset, std::int64_t elements,
                  std::size_t& number);

// Finds the attribute of a group or a dataset that is to have this value. Returns a failure if
// there is none of that type and shape. Local.
failure find_hdf5_attribute(hdf5_file& f, std::string const& object, hdf5_attribute const& value,
                            hdf5_attribute*& found);

// Reads the metadata of a file with so many bytes. A dataset that cannot be read gets the reason;
// the file is refused only if it is damaged, or if nothing in it can be found. Local.
failure find_hdf5(hdf5_read const& read, std::int64_t file_bytes, hdf5_file& into);
// Reads where the chunks of a dataset are. Local.
failure find_hdf5_chunks(hdf5_read const& read, std::int64_t file_bytes, hdf5_dataset const& d,
                         hdf5_place& into);

// Returns a failure unless the dataset has the type and the shape of a part. Local.
failure fault_of_hdf5_part(hdf5_dataset const& d, array_part const& part);

// Returns everything that ranks must agree on when they make a file.
std::string lines_of(hdf5_content const& c);
std::string lines_of(hdf5_attribute const& a, std::string const& of);

}  // namespace argosy::detail
