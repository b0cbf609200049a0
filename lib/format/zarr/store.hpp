// The facts about an open Zarr array that its handles share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <argosy/format/detail/zarr/zarr_file.hpp>
#include <argosy/format/detail/zarr/zarr_grid.hpp>
#include <argosy/format/zarr_header.hpp>
#include <argosy/handle/opener.hpp>

#include "chunk_codec.hpp"

namespace argosy::detail {

struct zarr_store {
  zarr_store(opener opens, std::string directory, zarr_header h,
             std::shared_ptr<zarr_reports> told);

  std::string path_of(std::int64_t shard) const {
    return path + "/" + grid.name_of(shard, header.options);
  }
  // Returns true if a chunk has the fill value only.
  bool is_empty(std::span<std::byte const> chunk) const noexcept;
  // Writes the fill value into bytes of a chunk, from `within` on.
  void fill(std::span<std::byte> bytes, std::int64_t within) const;

  opener files;
  std::string path;
  zarr_header header;
  zarr_grid grid;
  chunk_codec codec;
  std::vector<std::byte> fill_value;  // one element
  std::shared_ptr<zarr_reports> reports;
  zarr_words* words;    // in reports
  zarr_counts* counts;  // in reports
  zarr_writing how;
  unsigned permissions = 0666;  // permissions of new files, before the umask
  bool early_writes = true;     // a write of a shard goes to the disk before its sync
};

}  // namespace argosy::detail
