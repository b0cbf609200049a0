// A set of blocks of one file, as ranges.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <argosy/lab/gpfs/detail/block_range.hpp>

namespace argosy::lab::gpfs::detail {

// A plain value, as messages are. Its members hold `ranges` sorted, none empty, with a gap between
// each and the next. Sets that come from outside are checked by `sound`.
struct block_set {
  std::vector<block_range> ranges;

  bool empty() const { return ranges.empty(); }
  bool contains(std::int64_t block) const;
  bool sound() const;
  block_set within(block_range range) const;

  void add(block_range range);
  void add(block_set const& other);
  void remove(block_range range);

  friend bool operator==(block_set const&, block_set const&) = default;
};

}  // namespace argosy::lab::gpfs::detail
