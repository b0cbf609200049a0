// Implements piece_parcel.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "piece_parcel.hpp"

#include <algorithm>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/pack.hpp>

namespace argosy::detail {

void piece_parcel::add(layout const& file, std::int64_t shift, layout const& memory,
                       void const* from, std::int64_t begin, std::int64_t end) {
  for (extend::cursor c(file, begin); !c.done() && c.position() < end; c.next()) {
    extend::piece const p = c.current();
    words_.push_back(p.offset + shift);
    words_.push_back(std::min(p.length, end - c.position()));
  }
  words_[0] = std::ssize(words_) / 2;
  std::size_t const before = bytes_.size();
  bytes_.resize(before + static_cast<std::size_t>(end - begin));
  pack(memory, from, begin, end, bytes_.data() + before);
}

parcel piece_parcel::to(int rank) const {
  auto const head = std::as_bytes(std::span(words_));
  parcel p{rank, {}};
  p.content.reserve(head.size() + bytes_.size());
  p.content.insert(p.content.end(), head.begin(), head.end());
  p.content.insert(p.content.end(), bytes_.begin(), bytes_.end());
  return p;
}

}  // namespace argosy::detail
