// A converter between data in memory and the stream of a file in another representation, for any
// range of the stream.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/datatype/signature.hpp>
#include <argosy/extend.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/view/representation.hpp>

namespace argosy::extend {

// Converts the data of one transfer. `form` and `types` (of the same size) describe memory from the
// start of its stream. If their sizes differ, the constructor throws invalid_layout. Positions are
// bytes of the stream in the file's representation. Ranges may start and end inside an item, and
// may come in any order.
//
// `form` must outlive the converter. One thread at a time. Blocks that stay in the first-level
// cache are converted; memory does not grow with the request. Costs O(nodes of types) per call in
// addition to the data.
class converter {
 public:
  converter(representation r, layout const& form, signature const& types);

  // Returns the bytes of the whole data in the file's representation.
  std::int64_t file_size() const noexcept { return file_size_; }
  // Returns the start of the item that holds byte `position` of the file's stream. item_start()
  // counts in the file's stream, memory_position() in memory's.
  std::int64_t item_start(std::int64_t position) const;
  std::int64_t memory_position(std::int64_t position) const;

  // Makes bytes [from, to) of the file's stream from memory. Returns true if all values fit the
  // representation. If one does not fit, all others are converted, and a read or write reports
  // errc::conversion.
  bool gather(void const* memory, std::int64_t from, std::int64_t to, std::byte* stream) const;
  // Writes bytes [from, to) of the file's stream to memory. The bytes of a cut item are stored
  // until the rest comes. Returns true if all values fit the types in memory.
  bool scatter(std::byte const* stream, std::int64_t from, std::int64_t to, void* memory);

 private:
  struct node {
    basic_type type;
    std::uint32_t body;  // like in signature_node
    bool flat;           // a loop with runs only
    std::int64_t count;
    std::int64_t memory_bytes;  // bytes of one item, or one copy of the body
    std::int64_t file_bytes;
  };
  struct item {
    basic_type type;
    std::int64_t memory;  // position in memory's stream
    std::int64_t file;    // position in the file's stream
    std::int64_t memory_bytes, file_bytes;
  };
  struct cut_item {
    item which;
    std::vector<std::byte> bytes;
    std::vector<bool> present;
  };

  item find(std::int64_t position) const;
  template <bool Encode, class Memory>
  bool convert(Memory&& memory, std::int64_t from, std::int64_t to, std::byte* stream) const;
  template <bool Encode>
  bool walk(std::size_t begin, std::size_t end, std::int64_t memory_at, std::int64_t file_at,
            std::int64_t from, std::int64_t to, std::byte* in_memory, std::byte* in_file) const;
  template <bool Encode>
  bool run(node const& n, std::int64_t count, std::int64_t copies, std::int64_t memory_stride,
           std::int64_t file_stride, std::byte* in_memory, std::byte* in_file) const;
  bool keep(item const& which, std::int64_t from, std::int64_t to, std::byte const* stream,
            void* memory);

  representation representation_;
  layout const* form_;
  std::vector<node> nodes_;
  std::int64_t file_size_ = 0;
  std::int64_t block_bytes_ = 0;
  std::vector<cut_item> cut_;
};

}  // namespace argosy::extend

#ifndef ARGOSY_LINKED
#include <argosy/view/detail/converter.hpp>
#endif
