// Encodes and decodes several chunks at the same time, on threads of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "shard.hpp"
#include "store.hpp"

namespace argosy::detail {

// Calls `work` for each number below `count`, on up to `threads` threads with that of the caller.
// If a thread cannot be started, the others do its work. Rethrows an exception of `work` after all
// threads have ended.
void for_each_at_once(std::size_t count, int threads, std::function<void(std::size_t)> const& work);

// A chunk that waits for its encoding.
struct chunk_to_encode {
  std::int64_t chunk = 0;
  std::span<std::byte const> decoded;          // in memory of the caller, or in `room`
  std::optional<std::vector<std::byte>> kept;  // an encoded chunk that stays as it is
  std::vector<std::byte> room;
  codec_space space;
  std::span<std::byte const> encoded;
  bool left_out = false;  // it has the fill value only
};

// Chunks of one shard, or of several, that are encoded together. Has at most chunks_at_once().
class encoding_batch {
 public:
  explicit encoding_batch(zarr_store const& s);
  bool is_full() const noexcept { return used_ == most_; }
  std::size_t size() const noexcept { return used_; }
  chunk_to_encode const& operator[](std::size_t i) const { return all_[i]; }
  // Returns room for one more. Valid until the batch is destroyed. Precondition: not full.
  chunk_to_encode& add(std::int64_t chunk);
  // Takes back the last one.
  void drop() noexcept { --used_; }
  // Encodes all. They stay in the batch.
  void encode();
  void clear() noexcept { used_ = 0; }

 private:
  zarr_store const& store_;
  std::size_t most_, used_ = 0;
  std::deque<chunk_to_encode> all_;  // made when they are needed
};

// Chunks that have been read, and wait for their decoding.
class decoding_batch {
 public:
  explicit decoding_batch(zarr_store const& s);
  bool is_full() const noexcept { return used_ == most_; }
  // Returns memory for the encoded chunk that belongs into `into`. `before`: the bytes that have
  // been read before it. Precondition: not full.
  std::optional<std::vector<std::byte>>& add(std::int64_t shard, std::int64_t chunk,
                                             std::span<std::byte> into, std::int64_t before);
  // Takes back the last one.
  void drop() noexcept { --used_; }
  // Decodes all, and empties the batch. If a chunk is damaged, `before` is set to the bytes that
  // were read before the first of these.
  std::error_code decode(std::int64_t& before);

 private:
  struct waiting {
    std::int64_t shard = 0, chunk = 0, before = 0;
    std::optional<std::vector<std::byte>> encoded;
    std::span<std::byte> into;
    codec_space space;
    std::string why;
    bool well = false;
  };
  zarr_store const& store_;
  std::size_t most_, used_ = 0;
  std::deque<waiting> all_;  // made when they are needed
};

// Returns the number of chunks that a batch has room for: so many that the threads have work, and
// at most all of a shard or of a few small ones.
std::size_t chunks_at_once(zarr_store const& s);
// Returns the most memory of a batch.
std::int64_t batch_bytes(zarr_grid const& grid, chunk_codec const& codec, int threads);

}  // namespace argosy::detail
