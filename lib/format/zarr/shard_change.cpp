// Implements handle.hpp: makes the new file of a shard.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "handle.hpp"

namespace argosy::detail {

namespace {

// The pieces of one chunk, put together.
template <class Piece>
class chunk_maker {
 public:
  chunk_maker(zarr_store const& store, std::span<Piece const> pieces)
      : store_(store), left_(pieces) {}

  // Moves to a chunk, and returns true if some piece lies in it. Chunks must come in order.
  bool touches(std::int64_t chunk) {
    begin_ = chunk * store_.grid.chunk_bytes();
    end_ = begin_ + store_.grid.chunk_bytes();
    while (!left_.empty() && left_.front().end() <= begin_) left_ = left_.subspan(1);
    return !left_.empty() && left_.front().offset < end_;
  }
  // Returns the chunk if one piece has all of it; otherwise no bytes.
  std::span<std::byte const> whole() const {
    Piece const& p = left_.front();
    if (p.offset > begin_ || p.end() < end_) return {};
    return p.memory.subspan(static_cast<std::size_t>(begin_ - p.offset),
                            static_cast<std::size_t>(end_ - begin_));
  }
  // Returns true if the pieces have all bytes of the chunk, without overlap.
  bool covered() const {
    std::int64_t at = begin_;
    for (Piece const& p : left_) {
      if (p.offset >= end_) break;
      if (at < end_ && std::max(p.offset, begin_) != at) return false;
      at = std::max(at, p.end());
    }
    return at >= end_;
  }
  void copy_into(std::span<std::byte> chunk) const {
    for (Piece const& p : left_) {
      if (p.offset >= end_) break;
      std::int64_t const from = std::max(p.offset, begin_), to = std::min(p.end(), end_);
      if (from < to)
        std::memcpy(chunk.data() + (from - begin_), p.memory.data() + (from - p.offset),
                    static_cast<std::size_t>(to - from));
    }
  }

 private:
  zarr_store const& store_;
  std::span<Piece const> left_;
  std::int64_t begin_ = 0, end_ = 0;
};

}  // namespace

std::error_code zarr_handle::rewrite(shard_change const& all) {
  shard_writer out(*store_, all.shard);
  if (all.ready) {
    if (!all.ready->left_out)
      if (auto const error = out.append(0, all.ready->encoded)) return error;
    return out.finish();
  }
  zarr_grid const& grid = store_->grid;
  chunk_maker<piece> looked(*store_, all.pieces);
  bool whole = true;
  for (std::int64_t c = 0; whole && c < grid.chunks_in_shard(); ++c)
    whole = looked.touches(c) && looked.covered();
  shard_reader old(*store_);
  if (!whole)
    if (auto const error = old.open(all.shard)) return error;
  if (auto const error = rewrite_chunks(all.pieces, old, out)) return error;
  return out.finish();
}

// Makes the chunks of a shard in batches. Chunks that no piece touches stay as they are.
std::error_code zarr_handle::rewrite_chunks(std::span<piece const> pieces, shard_reader& old,
                                            shard_writer& out) {
  zarr_grid const& grid = store_->grid;
  chunk_maker<piece> made(*store_, pieces);
  encoding_batch batch(*store_);
  auto const flush = [&]() -> std::error_code {
    batch.encode();
    for (std::size_t i = 0; i < batch.size(); ++i)
      if (chunk_to_encode const& one = batch[i]; !one.left_out)
        if (auto const error = out.append(one.chunk, one.encoded)) return error;
    batch.clear();
    return {};
  };
  for (std::int64_t c = 0; c < grid.chunks_in_shard(); ++c) {
    if (batch.is_full())
      if (auto const error = flush()) return error;
    chunk_to_encode& one = batch.add(c);
    if (!made.touches(c)) {
      if (auto const error = old.encoded(c, one.kept)) return error;
      if (!one.kept) batch.drop();
      continue;
    }
    one.decoded = made.whole();
    if (!one.decoded.empty()) continue;
    one.room.resize(static_cast<std::size_t>(grid.chunk_bytes()));
    if (!made.covered())
      if (auto const error = old.read(c, 0, one.room)) return error;
    made.copy_into(one.room);
    one.decoded = one.room;
  }
  return flush();
}

}  // namespace argosy::detail
