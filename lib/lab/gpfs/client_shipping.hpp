// Partitioning of a client node: how a file enters and leaves this mode, and calls shipped to the
// owners of blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include <argosy/lab/gpfs/detail/message.hpp>
#include <argosy/lab/gpfs/detail/payload.hpp>

#include "client_blocks.hpp"
#include "client_context.hpp"
#include "client_locks.hpp"
#include "client_operations.hpp"
#include "client_pages.hpp"
#include "client_sizes.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::detail::client {

// The mode begins and ends when the locks are free and the pool is clean. In this mode a call is
// divided into pieces, one for each owner. Each piece is served as an operation of its own, on this
// node or another.
class shipping {
 public:
  shipping(context& shared, file_table& files, instance_table& instances,
           operation_locks const& locks, page_pool& pool, operations& under_way, sizes& known,
           block_access& blocks)
      : context_(shared),
        files_(files),
        instances_(instances),
        locks_(locks),
        pool_(pool),
        operations_(under_way),
        sizes_(known),
        blocks_(blocks) {}

  // For the task: sends the pieces of a call, and continues the call when they come back.
  void start(operation& o);
  void run(operation& o);
  // For the owner: serves a piece.
  void serve(operation& o);
  // Reports to the manager when all data is on disk and dropped from the cache.
  void run_transition(file_id id, file& f);

  void take(ship_begin const& m);
  void take(ship_go const& m);
  void take(ship_end const& m);
  void take(node_id from, ship_call const& m);
  void take(ship_answer const& m);
  // Fails the pieces that a dead node was to serve.
  void forget(node_id node);

 private:
  // Divides a call into the pieces of the owners.
  void divide(operation& o, partition_map const& map);
  // Sends a piece to its owner, or begins to serve it if that is this node.
  void send(operation& o, std::size_t index);
  void piece_done(std::int64_t id, int error, bool ended, std::int64_t epoch, payload const* data,
                  instant ready);

  context& context_;
  file_table& files_;
  instance_table& instances_;
  operation_locks const& locks_;
  page_pool& pool_;
  operations& operations_;
  sizes& sizes_;
  block_access& blocks_;
  std::map<std::int64_t, std::pair<std::int64_t, std::size_t>> waits_;  // by id: operation, piece
};

}  // namespace argosy::lab::gpfs::detail::client
