// The tokens of one node for one file: a mode for every block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/lab/gpfs/detail/block_range.hpp>

namespace argosy::lab::gpfs::detail {

// Sorted and disjoint, without entries of mode none. Each entry has the number of its grant. A
// message that revokes tokens must not revoke tokens that were granted after the message was
// written.
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

  // Returns true if every block of the range has at least this mode.
  bool covers(block_range range, token_mode mode) const;
  token_mode at(std::int64_t block) const;
  // Returns the first token that conflicts with a request of `mode` for the range, or null.
  token const* conflicting(block_range range, token_mode mode) const;
  // Returns the part of `range`, around `required`, that ends where the next token on either side
  // conflicts with a request of `mode`. Tokens in `required` do not count.
  block_range free_around(block_range required, block_range range, token_mode mode) const;

  void raise(block_range range, token_mode mode, std::int64_t number);
  // Lowers tokens in the range to at most this mode, if their grant was not later than `number`.
  void lower(block_range range, token_mode mode, std::int64_t number);

 private:
  std::vector<token>::const_iterator behind(std::int64_t block) const;
  template <class Change>
  void change(block_range range, Change const& how);

  std::vector<token> tokens_;
};

}  // namespace argosy::lab::gpfs::detail
