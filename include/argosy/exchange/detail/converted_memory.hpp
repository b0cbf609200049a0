// The memory side of a transfer to a file in another representation: all data passes through a
// converter and a buffer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <argosy/datatype/signature.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/view/converter.hpp>

namespace argosy::detail {

// Positions count bytes of the file's stream (in its representation), from the start of the access.
class converted_memory {
 public:
  converted_memory(representation r, layout const& l, signature const& types, void const* address)
      : converter_(std::move(r), l, types), base_(const_cast<void*>(address)) {}

  void gather(std::int64_t from, std::int64_t to, std::byte* stream) {
    fits_ = converter_.gather(base_, from, to, stream) && fits_;
  }
  void scatter(std::byte const* stream, std::int64_t from, std::int64_t to) {
    fits_ = converter_.scatter(stream, from, to, base_) && fits_;
  }
  void place(layout const& file, std::byte* window, std::int64_t file_position,
             std::int64_t position, std::int64_t bytes) {
    for_each_block(bytes, [&](std::byte* block, std::int64_t from, std::int64_t to) {
      gather(position + from, position + to, block);
      unpack(file, block, file_position + from, file_position + to, window);
    });
  }
  void take(layout const& file, std::byte const* window, std::int64_t file_position,
            std::int64_t position, std::int64_t bytes) {
    for_each_block(bytes, [&](std::byte* block, std::int64_t from, std::int64_t to) {
      pack(file, window, file_position + from, file_position + to, block);
      scatter(block, position + from, position + to);
    });
  }

  converter const& conversion() const noexcept { return converter_; }
  // Returns false if a value did not fit the other representation. The call then ends with
  // errc::conversion.
  bool fits() const noexcept { return fits_; }

 private:
  template <class F>
  static void for_each_block(std::int64_t bytes, F&& f) {
    std::array<std::byte, 8192> block;
    for (std::int64_t from = 0; from < bytes; from += 8192)
      f(block.data(), from, std::min<std::int64_t>(from + 8192, bytes));
  }

  converter converter_;
  void* base_;
  bool fits_ = true;
};

}  // namespace argosy::detail
