// A list of pieces to send to another rank: the pieces of one part of a stream.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/serialize.hpp>
#include <argosy/layout/table.hpp>

namespace argosy::detail {

class piece_list {
 public:
  static constexpr std::int64_t piece_bytes = 16;  // an offset and a length, serialised

  // Adds bytes [from, to) of the stream of a layout. Offsets must not decrease from call to call.
  void add(layout const& l, std::int64_t from, std::int64_t to) {
    for (cursor c(l, from); from < to; c.next()) {
      offsets_.push_back(c.current().offset);
      lengths_.push_back(std::min(c.current().length, to - from));
      from += lengths_.back();
    }
  }
  // Returns a layout of these pieces. Positions in its stream count from their start.
  std::vector<std::byte> form() const { return serialize(table(offsets_, lengths_)); }

 private:
  std::vector<std::int64_t> offsets_, lengths_;
};

}  // namespace argosy::detail
