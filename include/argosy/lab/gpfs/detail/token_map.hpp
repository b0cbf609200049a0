// The tokens of one node for one file: a mode for every block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/lab/gpfs/block_range.hpp>

namespace argosy::lab::detail {

using argosy::lab::gpfs::block_range;
using argosy::lab::gpfs::token_mode;

// Sorted, disjoint, without those of mode none. The number is that of the grant that gave it: a message that takes back
// what it knew of must not take back what was granted after it had been written.
class token_map {
 public:
  struct token {
    block_range range;
    token_mode mode = token_mode::none;
    std::int64_t number = 0;
  };

  bool empty() const { return tokens_.empty(); }
  std::size_t size() const { return tokens_.size(); }
  std::vector<token> const& tokens() const { return tokens_; }

  // Whether every block of the range has at least this mode.
  bool covers(block_range range, token_mode mode) const;
  token_mode at(std::int64_t block) const;
  // The first token that holds something against a request of `mode` for the range; null if none.
  token const* conflicting(block_range range, token_mode mode) const;

  void raise(block_range range, token_mode mode, std::int64_t number);
  // To at most this mode, where the grant was not later than `number`.
  void lower(block_range range, token_mode mode, std::int64_t number);

 private:
  template <class Change>
  void change(block_range range, Change const& how);

  std::vector<token> tokens_;
};

}  // namespace argosy::lab::detail
