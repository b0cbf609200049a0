// The storage of a server's blocks: sparse memory, or ordinary files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <argosy/handle/any_handle.hpp>
#include <argosy/lab/gpfs/detail/block_range.hpp>
#include <argosy/lab/gpfs/detail/block_set.hpp>

namespace argosy::lab::gpfs::detail {

// Errors are errno values. A block that was never written is a hole and reads as zeros. A block is
// hollow if it was written without its bytes. A hollow block must not be read.
class block_store {
 public:
  virtual ~block_store() = default;
  virtual bool has(file_id file, std::int64_t block) = 0;
  // Returns a set that contains all written blocks of this range. It may contain other blocks, too:
  // a store that cannot tell returns the whole range.
  virtual block_set written(file_id, block_range range) { return {{range}}; }
  virtual bool is_hollow(file_id, std::int64_t) { return false; }
  virtual int write_hollow(file_id, std::int64_t) { return ENOTSUP; }
  virtual int read(file_id file, std::int64_t block, std::span<std::byte> whole_block) = 0;
  virtual int write(file_id file, std::int64_t block, std::int64_t offset,
                    std::span<std::byte const> piece) = 0;
  // Removes all bytes at or after `bytes`, which read as zeros from now on.
  virtual int cut(file_id file, std::int64_t bytes) = 0;
};

class memory_store final : public block_store {
 public:
  explicit memory_store(std::int64_t block_bytes) : block_bytes_(block_bytes) {}
  bool has(file_id file, std::int64_t block) override;
  block_set written(file_id file, block_range range) override;
  bool is_hollow(file_id file, std::int64_t block) override;
  int write_hollow(file_id file, std::int64_t block) override;
  int read(file_id file, std::int64_t block, std::span<std::byte> whole_block) override;
  int write(file_id file, std::int64_t block, std::int64_t offset,
            std::span<std::byte const> piece) override;
  int cut(file_id file, std::int64_t bytes) override;

 private:
  std::int64_t block_bytes_;
  // an empty vector is a hollow block
  std::map<std::pair<file_id, std::int64_t>, std::vector<std::byte>> blocks_;
};

// Stores each file in one ordinary file, with the blocks in their places. Servers may share the
// store.
class handle_store final : public block_store {
 public:
  explicit handle_store(std::int64_t block_bytes) : block_bytes_(block_bytes) {}
  void attach(file_id file, any_handle where) { files_[file] = std::move(where); }
  bool has(file_id file, std::int64_t block) override;
  block_set written(file_id file, block_range range) override;
  int read(file_id file, std::int64_t block, std::span<std::byte> whole_block) override;
  int write(file_id file, std::int64_t block, std::int64_t offset,
            std::span<std::byte const> piece) override;
  int cut(file_id file, std::int64_t bytes) override;
  int set_size(file_id file, std::int64_t bytes);  // may also make it longer

 private:
  std::int64_t block_bytes_;
  std::map<file_id, any_handle> files_;
};

}  // namespace argosy::lab::gpfs::detail
