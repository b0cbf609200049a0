// The memory side of a transfer: where the bytes of the file's stream come from and go to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <argosy/layout/copy.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/pack.hpp>

namespace argosy::detail {

// Memory in the file's representation: no conversion. Positions count bytes from the start of the access. The executor
// asks for increasing positions, so that finding a stretch costs O(1) on average.
class native_memory {
 public:
  native_memory(layout const& l, void const* address)
      : layout_(&l), base_(static_cast<std::byte*>(const_cast<void*>(address))), cursor_(l) {}

  // The contiguous memory of the stream from `position` on.
  std::span<std::byte> stretch(std::int64_t position) {
    if (position != cursor_.position()) cursor_.seek(position);
    piece const p = cursor_.current();
    return {base_ + p.offset, static_cast<std::size_t>(p.length)};
  }
  void advance(std::int64_t bytes) { cursor_.advance(bytes); }

  void gather(std::int64_t from, std::int64_t to, std::byte* stream) const { pack(*layout_, base_, from, to, stream); }
  void scatter(std::byte const* stream, std::int64_t from, std::int64_t to) const {
    unpack(*layout_, stream, from, to, base_);
  }
  // Copies between memory and the places in a window, without a buffer: offsets of `file` count from `window`.
  void place(layout const& file, std::byte* window, std::int64_t file_position, std::int64_t position,
             std::int64_t bytes) const {
    copy(*layout_, base_, position, file, window, file_position, bytes);
  }
  void take(layout const& file, std::byte const* window, std::int64_t file_position, std::int64_t position,
            std::int64_t bytes) const {
    copy(file, window, file_position, *layout_, base_, position, bytes);
  }

 private:
  layout const* layout_;
  std::byte* base_;
  cursor cursor_;
};

}  // namespace argosy::detail
