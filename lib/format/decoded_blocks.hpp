// Reads decoded bytes from a checkpoint with codecs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/format/checkpoint_header.hpp>
#include <argosy/format/detail/encoded_blocks.hpp>
#include <argosy/handle/any_handle.hpp>

#include "block_codec.hpp"

namespace argosy::detail {

// An entry of the table: the place of an encoded block in the file.
struct table_entry {
  std::int64_t place = 0, bytes = 0;
  std::uint32_t sum = 0;  // CRC-32 of the decoded block
};

class decoded_blocks {
 public:
  // From here on, handles read decoded bytes. Returns a failure if this build cannot decode them.
  failure begin(checkpoint_header h, int threads);
  bool has_begun() const noexcept { return begun_; }
  // Returns the end of the decoded bytes.
  std::int64_t size() const noexcept;
  // Returns the reason of the last error, or an empty string.
  std::string reason() const;

  // Reads decoded bytes. Places between arrays have zeros.
  io_result read(any_handle& file, std::int64_t offset, std::span<std::byte> memory);
  // Reads the places of blocks.
  std::error_code read_table(any_handle& file, checkpoint_array const& a, std::int64_t first,
                             std::vector<table_entry>& into);

 private:
  struct wanted;
  std::error_code read_blocks(any_handle& file, checkpoint_array const& a, std::int64_t begin,
                              std::span<std::byte> memory);
  std::error_code fetch(any_handle& file, wanted& one) const;
  void decode(wanted& one) const;
  void keep(checkpoint_array const& a, wanted& last);

  checkpoint_header header_;
  chunk_codec codec_;
  int threads_ = 1;
  std::atomic<bool> begun_ = false;
  mutable std::mutex mutex_;  // guards the members below
  std::string reason_;
  std::int64_t kept_at_ = -1;  // the decoded place of a block that was read in part
  std::vector<std::byte> kept_;
};

}  // namespace argosy::detail
