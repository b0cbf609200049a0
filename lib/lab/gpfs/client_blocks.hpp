// Reads and writes of a client node, block by block through the page pool, with read-ahead and
// write-behind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "client_context.hpp"
#include "client_pages.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::detail::client {

// Serves calls of the node's tasks, and calls that other nodes have shipped to it. The call must
// have its tokens, or the node must own the blocks. Changes the size of the file, and which blocks
// are allocated.
class block_access {
 public:
  block_access(context& shared, instance_table const& instances, page_pool& pool)
      : context_(shared), instances_(instances), pool_(pool) {}

  // Returns true at the end of the operation, or if it has an error after `done` bytes.
  bool run(operation& o, file& f);
  // Starts reading the blocks that the stream of this instance will probably need next.
  void prefetch(instance const& i, file const& f, reader const& stream);

 private:
  void read_ahead(operation const& o, file const& f, std::int64_t block);
  void write_behind(operation const& o, page_pool::ready_page& p);
  std::int64_t depth(instance const& i) const;

  context& context_;
  instance_table const& instances_;
  page_pool& pool_;
};

}  // namespace argosy::lab::gpfs::detail::client
