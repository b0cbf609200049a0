// The operations under way on a client node: calls of its tasks, shipped calls that it serves, and
// hints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>
#include <utility>

#include "client_context.hpp"
#include "client_locks.hpp"
#include "client_pages.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::detail::client {

// An operation stays at its address until it is finished. Then it releases its locks and pages.
class operations {
 public:
  operations(context& shared, operation_locks& locks, page_pool& pool)
      : context_(shared), locks_(locks), pool_(pool) {}

  operation& add(operation o) { return all_.emplace_back(std::move(o)); }
  operation* find(std::int64_t id);  // null if there is none, or if it is finished
  // Ends the operation. If it is a call, its task gets the completion.
  void finish(operation& o, int error, std::int64_t value = 0);

  // Runs each operation as far as possible, in the order of their beginning, also those that begin
  // meanwhile.
  template <class Run>
  void run_all(Run const& run) {
    for (operation& o : all_)
      if (!o.finished) run(o);
    all_.remove_if([](operation const& o) { return o.finished; });
  }

 private:
  context& context_;
  operation_locks& locks_;
  page_pool& pool_;
  std::list<operation> all_;
};

}  // namespace argosy::lab::gpfs::detail::client
