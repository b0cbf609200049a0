// The memory side of a transfer: the source or target of the bytes of the file's stream.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <argosy/datatype/buffer.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/layout/copy.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/view/representation.hpp>

namespace argosy::detail {

class converted_memory;

// Memory of the program, in the file's representation or through a converter. One class handles
// both, because executors are long, and each world has its own instance of them. A call here costs
// little, since it moves many bytes. Positions count bytes of the stream from the start of the
// access. The executor asks for increasing positions, so that finding contiguous memory costs O(1)
// on average.
class memory_side {
 public:
  memory_side(layout const& l, void const* address);
  // For a file in this representation. `r` and `b` must outlive this object.
  memory_side(representation const& r, const_buffer const& b);
  ~memory_side();
  memory_side(memory_side const&) = delete;

  // Returns the contiguous memory of the stream from `position` on. Empty if memory never has the
  // bytes of the file, because they are converted.
  std::span<std::byte> stretch(std::int64_t position) {
    if (converted_) return {};
    if (!cursor_)
      cursor_.emplace(*layout_, position);
    else if (position != cursor_->position())
      cursor_->seek(position);
    piece const p = cursor_->current();
    return {base_ + p.offset, static_cast<std::size_t>(p.length)};
  }
  void advance(std::int64_t bytes) {
    if (cursor_) cursor_->advance(bytes);
  }

  void gather(std::int64_t from, std::int64_t to, std::byte* stream) {
    if (converted_) return gather_converted(from, to, stream);
    pack(*layout_, base_, from, to, stream);
  }
  void scatter(std::byte const* stream, std::int64_t from, std::int64_t to) {
    if (converted_) return scatter_converted(stream, from, to);
    unpack(*layout_, stream, from, to, base_);
  }
  // Copies between memory and the places in a window, without a buffer. `file_begin` is where byte
  // 0 of the file would lie.
  void place(layout const& file, std::byte* file_begin, std::int64_t file_position,
             std::int64_t position, std::int64_t bytes) {
    if (converted_) return place_converted(file, file_begin, file_position, position, bytes);
    copy(*layout_, base_, position, file, file_begin, file_position, bytes);
  }
  void take(layout const& file, std::byte const* file_begin, std::int64_t file_position,
            std::int64_t position, std::int64_t bytes) {
    if (converted_) return take_converted(file, file_begin, file_position, position, bytes);
    copy(file, file_begin, file_position, *layout_, base_, position, bytes);
  }

  // Returns an error after the transfer if a value did not fit the other representation.
  failure fault() const;

 private:
  void gather_converted(std::int64_t from, std::int64_t to, std::byte* stream);
  void scatter_converted(std::byte const* stream, std::int64_t from, std::int64_t to);
  void place_converted(layout const& file, std::byte* file_begin, std::int64_t file_position,
                       std::int64_t position, std::int64_t bytes);
  void take_converted(layout const& file, std::byte const* file_begin, std::int64_t file_position,
                      std::int64_t position, std::int64_t bytes);

  layout const* layout_;
  std::byte* base_;
  std::optional<cursor> cursor_;  // set when contiguous memory is first asked for
  representation const* representation_ = nullptr;
  std::unique_ptr<converted_memory> converted_;
};

}  // namespace argosy::detail
