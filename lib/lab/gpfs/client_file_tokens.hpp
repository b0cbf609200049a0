// The tokens that a client node holds for one file, and how many of them it gives up when another
// node needs some.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include <argosy/lab/gpfs/detail/block_range.hpp>
#include <argosy/lab/gpfs/detail/message.hpp>
#include <argosy/lab/gpfs/detail/token_map.hpp>

namespace argosy::lab::gpfs::detail::client {

class file_tokens {
 public:
  bool empty() const { return held_.empty(); }
  bool covers(block_range range, token_mode mode) const { return held_.covers(range, mode); }
  token_mode at(std::int64_t block) const { return held_.at(block); }
  bool any(block_range range) const {
    return held_.conflicting(range, token_mode::write) != nullptr;
  }
  // Returns the number of the last grant.
  std::int64_t grants_seen() const { return grants_seen_; }

  void granted(block_range range, token_mode mode, std::int64_t number) {
    held_.raise(range, mode, number);
    grants_seen_ = number;
  }
  void lower(block_range range, token_mode mode) { held_.lower(range, mode, grants_seen_); }
  // Drops all tokens, after the manager has taken them back.
  void forget() { held_ = {}; }

  // Notes an access that will end here.
  void note_access(std::int64_t end, bool sequential) {
    position_ = end;
    sequential_ = sequential;
  }

  // Returns the range to give up. A sequential stream retains the side on which it is; other
  // accesses retain all that is not required.
  block_range surrender_range(revoke const& r, std::int64_t block_bytes) const {
    block_range give = r.required;
    if (!sequential_) return give;
    std::int64_t const here = position_ / block_bytes;
    for (auto const& t : held_.tokens()) {
      if (!t.range.overlaps(r.required) || !conflict(t.mode, r.mode)) continue;
      if (r.at >= position_)
        give.end = std::max(give.end, t.range.end);
      else
        give = {std::min(give.begin, t.range.begin),
                std::max(give.end, std::min(t.range.end, here))};
    }
    return give;
  }

 private:
  token_map held_;
  std::int64_t grants_seen_ = 0;
  std::int64_t position_ = 0;  // end of the last access
  bool sequential_ = false;
};

}  // namespace argosy::lab::gpfs::detail::client
