// Byte ranges that the operations of a client node work on. Operations on the same bytes exclude
// each other, and prevent the revocation of tokens.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>

#include <argosy/lab/gpfs/detail/block_range.hpp>

#include "client_context.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::detail::client {

// Only inside of the node; the manager holds the locks that tasks request. Changes `locked` of an
// operation.
class operation_locks {
 public:
  explicit operation_locks(context& shared) : context_(shared) {}

  // Returns false if the operation has to wait for another one.
  bool take(operation& o, byte_range bytes, bool is_write);
  void give_back(operation& o);

  // Returns true if an operation uses one of these blocks in a way that another node's token of
  // this mode would forbid.
  bool against(file_id id, block_range range, token_mode wanted) const;

 private:
  struct lock {
    std::int64_t operation = 0;
    file_id file = 0;
    byte_range bytes;
    bool is_write = false;
  };

  context& context_;
  std::list<lock> locks_;
};

}  // namespace argosy::lab::gpfs::detail::client
