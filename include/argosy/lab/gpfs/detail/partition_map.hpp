// A partition map: the owner of each block of a partitioned file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/lab/gpfs/detail/block_range.hpp>

namespace argosy::lab::gpfs::detail {

// Deals `blocks_per_entry` contiguous blocks to each entry of `owners` in turn. A node may have
// several entries. A map without owners is the default map, which the file system completes: it
// deals single blocks to the nodes that take part.
struct partition_map {
  std::int64_t blocks_per_entry = 1;
  std::vector<node_id> owners;

  std::size_t entry_of(std::int64_t block) const {
    return static_cast<std::size_t>((block / blocks_per_entry) %
                                    static_cast<std::int64_t>(owners.size()));
  }
  node_id owner(std::int64_t block) const { return owners[entry_of(block)]; }
  // Returns the end of the blocks of the entry that `block` belongs to.
  std::int64_t entry_end(std::int64_t block) const {
    return (block / blocks_per_entry + 1) * blocks_per_entry;
  }

  friend bool operator==(partition_map const&, partition_map const&) = default;
};

}  // namespace argosy::lab::gpfs::detail
