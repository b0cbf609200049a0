// Implements piece_parcel.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "piece_parcel.hpp"

#include <algorithm>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/pack.hpp>

namespace argosy::detail {

void piece_writer::add(layout const& file, std::int64_t shift, layout const& memory,
                       void const* from, std::int64_t begin, std::int64_t end) {
  words_.assign(1, 0);
  for (extend::cursor c(file, begin); !c.done() && c.position() < end; c.next()) {
    extend::piece const p = c.current();
    words_.push_back(p.offset + shift);
    words_.push_back(std::min(p.length, end - c.position()));
  }
  words_[0] = std::ssize(words_) / 2;
  auto const head = std::as_bytes(std::span(words_));
  std::size_t const first = size_ + head.size();
  size_ = first + static_cast<std::size_t>(end - begin);
  if (content_.size() < size_) content_.resize(size_);
  std::ranges::copy(head, content_.data() + first - head.size());
  pack(memory, from, begin, end, content_.data() + first);
}

bool piece_writer::finish() {
  content_.resize(size_);
  return size_ > 0;
}

}  // namespace argosy::detail
