// Messages with pieces of a range of bytes, for ranks that put pieces together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <argosy/layout/layout.hpp>
#include <argosy/world/parcel.hpp>

namespace argosy::detail {

// Writes a message. It has parts. Each has the number of its pieces, then an offset and a length of
// each, then their bytes. The memory of the parcel's old contents is used again.
class piece_writer {
 public:
  explicit piece_writer(parcel& into) noexcept : content_(into.content) {}

  // Adds bytes `begin` to `end` of a stream. Its pieces are those of `file`, moved by `shift`, and
  // lie at `from` as `memory` describes.
  void add(layout const& file, std::int64_t shift, layout const& memory, void const* from,
           std::int64_t begin, std::int64_t end);
  // Cuts off what is left of the old contents. Returns false if the message has no part.
  bool finish();

 private:
  std::vector<std::byte>& content_;
  std::size_t size_ = 0;
  std::vector<std::int64_t> words_;
};

// Calls `use(offset, bytes)` for each piece of a message.
template <class Use>
void for_pieces(parcel const& p, Use&& use) {
  for (std::size_t at = 0; at < p.content.size();) {
    std::int64_t count = 0;
    std::memcpy(&count, p.content.data() + at, sizeof count);
    std::size_t word = at + sizeof count;
    at += static_cast<std::size_t>(2 * count + 1) * sizeof count;
    for (; count > 0; --count) {
      std::int64_t place[2];
      std::memcpy(place, p.content.data() + word, sizeof place);
      auto const length = static_cast<std::size_t>(place[1]);
      use(place[0], std::span(p.content).subspan(at, length));
      word += sizeof place;
      at += length;
    }
  }
}

}  // namespace argosy::detail
