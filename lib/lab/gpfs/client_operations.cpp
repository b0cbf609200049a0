// Implements the list of a client node's operations (client_operations.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#include "client_operations.hpp"

#include <algorithm>

namespace argosy::lab::gpfs::detail::client {

operation* operations::find(std::int64_t id) {
  for (operation& o : all_)
    if (o.id == id && !o.finished) return &o;
  return nullptr;
}

void operations::finish(operation& o, int error, std::int64_t value) {
  locks_.give_back(o);
  pool_.let_go(o);
  o.finished = true;
  context_.changed();
  if (o.kind != operation::what::call) return;
  if (o.asked.kind == call_kind::read) context_.counters().bytes_read += value;
  if (o.asked.kind == call_kind::write) context_.counters().bytes_written += value;
  context_.complete({o.id, value, error, std::max(context_.now(), o.ready)});
}

}  // namespace argosy::lab::gpfs::detail::client
