// The file of a shard: encoded chunks and their index. Without shards, a file has one chunk and no
// index.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/handle/any_handle.hpp>

#include "store.hpp"

namespace argosy::detail {

// Says which shard is damaged, and how. Returns errc::damaged.
std::error_code damaged_shard(zarr_store const& s, std::int64_t shard, std::string const& how);

// The place of an encoded chunk in the file.
struct chunk_place {
  std::int64_t offset = 0, bytes = 0;
};

// The index of a shard: the places of its chunks, as the file has them.
class shard_index {
 public:
  // Makes an index of chunks that are all missing.
  explicit shard_index(std::int64_t chunks);
  // Returns the bytes of an index of so many chunks.
  static std::int64_t bytes_of(std::int64_t chunks, bool checksum) {
    return 16 * chunks + (checksum ? 4 : 0);
  }
  // Parses the bytes of an index. Returns false and sets `why` if the checksum differs.
  bool parse(std::vector<std::byte> bytes, bool checksum, std::string& why);

  // Returns the place of a chunk, or nothing if it is missing.
  std::optional<chunk_place> find(std::int64_t chunk) const noexcept;
  void set(std::int64_t chunk, chunk_place where) noexcept;
  // Returns the bytes for the file.
  std::vector<std::byte> bytes(bool checksum) const;

 private:
  std::vector<std::byte> places_;  // two numbers of 8 bytes for each chunk
};

// Reads one shard. The file stays as it was when it was opened.
class shard_reader {
 public:
  explicit shard_reader(zarr_store const& s) : store_(s), index_(0) {}

  // Opens the file and reads its index. A missing file is an empty shard.
  std::error_code open(std::int64_t shard);
  // Returns true if a chunk is there, and its bytes in the file are not the chunk itself.
  bool has_to_decode(std::int64_t chunk) const noexcept {
    return exists_ && !store_.codec.is_plain() && index_.find(chunk);
  }
  // Reads the bytes of a chunk from `within` on. Missing chunks have the fill value.
  std::error_code read(std::int64_t chunk, std::int64_t within, std::span<std::byte> into);
  // Reads an encoded chunk. Sets `into` to no value if it is missing.
  std::error_code encoded(std::int64_t chunk, std::optional<std::vector<std::byte>>& into);

 private:
  std::error_code read_index();
  std::error_code read_at(std::int64_t offset, std::span<std::byte> into);
  std::error_code decode(std::int64_t chunk, chunk_place where, std::span<std::byte> into);
  std::error_code damaged(std::string const& how) const;

  zarr_store const& store_;
  std::int64_t shard_ = 0, size_ = 0;
  bool exists_ = false;
  any_handle file_;
  shard_index index_;
  std::int64_t decoded_ = -1;  // the chunk in chunk_
  std::vector<std::byte> chunk_, encoded_;
  codec_space space_;
};

// Writes one shard: to a file of another name, which replaces the old one at the end.
class shard_writer {
 public:
  shard_writer(zarr_store const& s, std::int64_t shard);
  shard_writer(shard_writer const&) = delete;
  shard_writer& operator=(shard_writer const&) = delete;
  ~shard_writer();

  // Returns the most memory of a writer.
  static std::int64_t most_bytes(zarr_grid const& grid);

  // Appends an encoded chunk.
  std::error_code append(std::int64_t chunk, std::span<std::byte const> encoded);
  // Puts the file into its place. If there is no chunk, removes the old file.
  std::error_code finish();

 private:
  std::error_code make();
  std::error_code write(std::span<std::byte const> bytes);
  std::error_code flush();
  std::error_code write_at(std::int64_t offset, std::span<std::byte const> bytes);
  std::error_code close();

  zarr_store const& store_;
  std::string path_, temporary_;
  any_handle file_;
  bool made_ = false;
  std::int64_t end_ = 0;  // end of the file, with the buffer
  std::vector<std::byte> buffer_;
  shard_index index_;
};

}  // namespace argosy::detail
