// The handle of a Zarr array.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/policy/storage.hpp>

#include "chunk_crew.hpp"
#include "shard.hpp"
#include "store.hpp"

namespace argosy::detail {

// Reads and writes the linear space of the decoded shards. Each write changes whole shards. It
// reads a shard, changes it, and puts a new file into its place. Meanwhile it has a lock. Locks are
// those of the file with the metadata.
class zarr_handle {
 public:
  zarr_handle(std::shared_ptr<zarr_store const> store, any_handle metadata)
      : store_(std::move(store)), metadata_(std::move(metadata)), written_(new names_written) {}

  io_result read(std::int64_t offset, std::span<std::byte> memory);
  io_result write(std::int64_t offset, std::span<std::byte const> memory);
  io_result read(std::span<read_part const> parts);
  io_result write(std::span<write_part const> parts);

  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    return metadata_.lock(offset, length, kind);
  }
  bool try_lock(std::int64_t offset, std::int64_t length, lock_kind kind, std::error_code& error) {
    return metadata_.try_lock(offset, length, kind, error);
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    return metadata_.unlock(offset, length);
  }
  std::optional<bool> is_locked(std::int64_t offset, std::int64_t length) const {
    return metadata_.is_locked(offset, length);
  }
  std::optional<locked_range> lock_in_the_way(std::int64_t offset, std::int64_t length,
                                              lock_kind kind) const {
    return metadata_.lock_in_the_way(offset, length, kind);
  }
  bool tells_locks() const { return metadata_.tells_locks(); }

  std::int64_t size(std::error_code& error) const {
    error.clear();
    return store_->grid.bytes();
  }
  // The shape of the array says the size.
  std::error_code resize(std::int64_t bytes) const {
    return bytes == store_->grid.bytes() ? std::error_code() : make_error_code(errc::unsupported);
  }
  std::error_code preallocate(std::int64_t bytes) const {
    return bytes <= store_->grid.bytes() ? std::error_code() : make_error_code(errc::unsupported);
  }
  // Puts the shards that this handle has written, and their names, on the storage.
  std::error_code sync();
  std::error_code reconcile() { return metadata_.reconcile(); }
  std::error_code close() { return metadata_.close(); }
  bool is_open() const { return metadata_.is_open(); }
  std::int64_t block_bytes() const { return store_->grid.shard_bytes(); }
  argosy::extend::storage storage() const;
  std::optional<file_identity> identity() const { return metadata_.identity(); }

 private:
  // A piece of a shard; its offset counts from the start of the shard.
  struct piece {
    std::int64_t offset = 0;
    std::span<std::byte const> memory;
    std::int64_t end() const noexcept { return offset + std::ssize(memory); }
  };
  struct names_written {
    std::mutex mutex;
    std::set<std::int64_t> shards;
  };

  // The pieces of one shard, and its chunk if that is encoded already.
  struct shard_change {
    std::int64_t shard = -1, bytes = 0;
    std::vector<piece> pieces;
    chunk_to_encode const* ready = nullptr;
  };
  class changes;

  std::error_code change(shard_change& all);
  std::error_code rewrite(shard_change const& all);
  std::error_code rewrite_chunks(std::span<piece const> pieces, shard_reader& old,
                                 shard_writer& out);
  std::error_code sync_shard(std::string const& path) const;
  std::error_code settle(std::set<std::string> const& paths) const;

  std::shared_ptr<zarr_store const> store_;
  any_handle metadata_;
  std::unique_ptr<names_written> written_;  // shards since the last sync
};

}  // namespace argosy::detail
