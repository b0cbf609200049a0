// Implements lab/gpfs/detail/block_store.hpp: blocks in sparse memory, and in ordinary files.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/detail/block_store.hpp>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "errno_of.hpp"

namespace argosy::lab::gpfs::detail {

bool memory_store::has(file_id file, std::int64_t block) { return blocks_.contains({file, block}); }

block_set memory_store::written(file_id file, block_range range) {
  block_set there;
  for (auto at = blocks_.lower_bound({file, range.begin}); at != blocks_.end(); ++at) {
    auto const [of, block] = at->first;
    if (of != file || block >= range.end) break;
    there.add({block, block + 1});
  }
  return there;
}

bool memory_store::is_hollow(file_id file, std::int64_t block) {
  auto const found = blocks_.find({file, block});
  return found != blocks_.end() && found->second.empty();
}

int memory_store::write_hollow(file_id file, std::int64_t block) {
  blocks_[{file, block}].clear();
  return 0;
}

int memory_store::read(file_id file, std::int64_t block, std::span<std::byte> whole_block) {
  auto const found = blocks_.find({file, block});
  if (found == blocks_.end())
    std::fill(whole_block.begin(), whole_block.end(), std::byte{});
  else
    std::copy(found->second.begin(), found->second.end(), whole_block.begin());
  return 0;
}

int memory_store::write(file_id file, std::int64_t block, std::int64_t offset,
                        std::span<std::byte const> piece) {
  std::vector<std::byte>& bytes = blocks_[{file, block}];
  bytes.resize(static_cast<std::size_t>(block_bytes_));
  std::copy(piece.begin(), piece.end(), bytes.begin() + offset);
  return 0;
}

int memory_store::cut(file_id file, std::int64_t bytes) {
  std::int64_t const last = bytes / block_bytes_, inside = bytes % block_bytes_;
  for (auto at = blocks_.lower_bound({file, last});
       at != blocks_.end() && at->first.first == file;) {
    if (at->first.second == last && inside > 0) {
      if (!at->second.empty())
        std::fill(at->second.begin() + inside, at->second.end(), std::byte{});
      ++at;
    } else {
      at = blocks_.erase(at);
    }
  }
  return 0;
}

bool handle_store::has(file_id file, std::int64_t block) {
  auto const found = files_.find(file);
  if (found == files_.end()) return true;  // true, so that the following read reports why not
  std::error_code error;
  return found->second.size(error) > block * block_bytes_ || error;
}

block_set handle_store::written(file_id file, block_range range) {
  auto const found = files_.find(file);
  if (found == files_.end()) return {{range}};
  std::error_code error;
  std::int64_t const size = found->second.size(error);
  if (error) return {{range}};
  block_set there;
  there.add(intersection(range, blocks_of(0, size, block_bytes_)));
  return there;
}

int handle_store::read(file_id file, std::int64_t block, std::span<std::byte> whole_block) {
  auto const found = files_.find(file);
  if (found == files_.end()) return EBADF;
  io_result const r = found->second.read(block * block_bytes_, whole_block);
  std::fill(whole_block.begin() + r.bytes, whole_block.end(), std::byte{});
  return errno_of(r.error);
}

int handle_store::write(file_id file, std::int64_t block, std::int64_t offset,
                        std::span<std::byte const> piece) {
  auto const found = files_.find(file);
  if (found == files_.end()) return EBADF;
  io_result const r = found->second.write(block * block_bytes_ + offset, piece);
  if (r.error) return errno_of(r.error);
  return r.bytes == static_cast<std::int64_t>(piece.size()) ? 0 : EIO;
}

int handle_store::cut(file_id file, std::int64_t bytes) {
  auto const found = files_.find(file);
  if (found == files_.end()) return EBADF;
  std::error_code error;
  std::int64_t const size = found->second.size(error);
  if (error || size <= bytes) return errno_of(error);
  return errno_of(found->second.resize(bytes));
}

int handle_store::set_size(file_id file, std::int64_t bytes) {
  auto const found = files_.find(file);
  if (found == files_.end()) return EBADF;
  std::error_code error;
  std::int64_t const size = found->second.size(error);
  if (error || size == bytes) return errno_of(error);
  return errno_of(found->second.resize(bytes));
}

}  // namespace argosy::lab::gpfs::detail
