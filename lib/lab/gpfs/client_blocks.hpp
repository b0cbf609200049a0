// Reads and writes of a client node, block by block through the page pool, with what is read ahead
// and written behind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "client_context.hpp"
#include "client_pages.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::client {

// For calls of the node's tasks and for those that others have shipped to it; either has the right
// to its blocks by then. Of a file it changes size and what is allocated.
class block_access {
 public:
  block_access(context& shared, instance_table const& instances, page_pool& pool)
      : context_(shared), instances_(instances), pool_(pool) {}

  // True at the end, or with an error after `done` bytes.
  bool run(operation& o, file& f);
  // Starts reading what the stream of this instance will probably want next.
  void prefetch(instance const& i, file const& f, reader const& stream);

 private:
  void read_ahead(operation const& o, file const& f, std::int64_t block);
  void write_behind(operation const& o, page_pool::ready_page& p);
  std::int64_t depth(instance const& i) const;

  context& context_;
  instance_table const& instances_;
  page_pool& pool_;
};

}  // namespace argosy::lab::gpfs::client
