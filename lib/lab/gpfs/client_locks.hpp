// Which bytes the operations of a client node are working on: they exclude each other, and keep
// tokens from being given up.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>

#include <argosy/lab/gpfs/block_range.hpp>

#include "client_context.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::client {

// Inside the node only; the locks that tasks ask for are held by the manager. Of an operation it
// changes `locked`.
class operation_locks {
 public:
  explicit operation_locks(context& shared) : context_(shared) {}

  // False if the operation has to wait for another one.
  bool take(operation& o, byte_range bytes, bool is_write);
  void give_back(operation& o);

  // Whether an operation uses one of these blocks in a way that another node's token of this mode
  // would forbid.
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

}  // namespace argosy::lab::gpfs::client
