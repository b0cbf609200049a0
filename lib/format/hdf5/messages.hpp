// Messages of object headers, as this library writes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/format/detail/hdf5/hdf5_file.hpp>

#include "bytes.hpp"

namespace argosy::detail::hdf5 {

// The kinds of messages, by their numbers in the file.
enum class message : unsigned {
  none = 0,
  dataspace = 1,
  link_info = 2,
  datatype = 3,
  old_fill_value = 4,
  fill_value = 5,
  link = 6,
  external_files = 7,
  layout = 8,
  group_info = 10,
  filters = 11,
  attribute = 12,
  continuation = 16,
  symbol_table = 17,
  attribute_info = 21
};

// An object header, to which messages are appended.
class header_writer {
 public:
  // Before the first attribute it also adds the information that there are some, without which
  // libhdf5 counts none.
  void add(message kind, std::span<std::byte const> content);
  // Returns the header of version 2, with its checksum.
  std::vector<std::byte> finish() &&;

 private:
  writer messages_;
  bool has_attributes_ = false;
};

std::vector<std::byte> dataspace_of(std::span<std::int64_t const> shape,
                                    std::span<std::int64_t const> most = {});
// Says whether the data has its place from the beginning. New elements are zeros.
std::vector<std::byte> fill_value_of(hdf5_place const& p);
std::vector<std::byte> layout_of_data(hdf5_place const& p, std::int64_t element_bytes);
std::vector<std::byte> filters_of(std::vector<hdf5_step> const& steps);
std::vector<std::byte> link_to(std::string_view name, std::int64_t address, std::int64_t order);
std::vector<std::byte> link_info_of(std::int64_t links);
std::vector<std::byte> attribute_of(hdf5_attribute const& a);
// An attribute of any type: the bytes of its datatype, its shape and its value.
std::vector<std::byte> raw_attribute(std::string_view name, std::span<std::byte const> type,
                                     std::span<std::int64_t const> shape,
                                     std::span<std::byte const> value);

// The index of a dataset whose chunks have any places: a fixed array. Each entry has an address,
// and, with filters, the bytes and the filters that were left out.
struct fixed_array {
  static constexpr int page_bits = 10;  // entries with a checksum of their own, if there are more
  std::int64_t entries = 0;
  bool filtered = false;
  int size_bytes = 0;  // width of the size of an encoded chunk

  // Returns the index of a dataset; `element_bytes` counts one element.
  static fixed_array of(hdf5_place const& p, std::int64_t element_bytes);
  int entry_bytes() const noexcept { return filtered ? 8 + size_bytes + 4 : 8; }
  bool has_pages() const noexcept { return entries > std::int64_t{1} << page_bits; }
  std::int64_t pages() const noexcept {
    return (entries + (std::int64_t{1} << page_bits) - 1) >> page_bits;
  }
  // Returns the header and the entries of the index at this address.
  std::vector<std::byte> bytes(std::int64_t address, std::span<hdf5_chunk const> chunks) const;
};

// Returns the number of chunks of the largest shape, or -1 if it is beyond 2^62.
std::int64_t chunks_of(hdf5_place const& p) noexcept;
// Returns the bytes of a decoded chunk, or -1 if the number is beyond 2^62.
std::int64_t chunk_bytes_of(hdf5_place const& p, std::int64_t element_bytes) noexcept;

}  // namespace argosy::detail::hdf5
