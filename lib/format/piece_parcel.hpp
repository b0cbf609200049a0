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

// A message has the number of pieces, then an offset and a length of each, then their bytes.
class piece_parcel {
 public:
  // Adds bytes `begin` to `end` of a stream. Its pieces are those of `file`, moved by `shift`, and
  // lie at `from` as `memory` describes.
  void add(layout const& file, std::int64_t shift, layout const& memory, void const* from,
           std::int64_t begin, std::int64_t end);
  bool empty() const noexcept { return words_.size() == 1; }
  parcel to(int rank) const;

 private:
  std::vector<std::int64_t> words_ = {0};
  std::vector<std::byte> bytes_;
};

// Calls `use(offset, bytes)` for each piece of a message.
template <class Use>
void for_pieces(parcel const& p, Use&& use) {
  std::int64_t count = 0;
  std::memcpy(&count, p.content.data(), sizeof count);
  std::size_t word = sizeof count, data = static_cast<std::size_t>(2 * count + 1) * sizeof count;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t place[2];
    std::memcpy(place, p.content.data() + word, sizeof place);
    auto const length = static_cast<std::size_t>(place[1]);
    use(place[0], std::span(p.content).subspan(data, length));
    word += sizeof place;
    data += length;
  }
}

}  // namespace argosy::detail
