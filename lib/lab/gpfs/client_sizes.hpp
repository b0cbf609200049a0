// Agrees with the manager on the size of a file, for a client node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "client_context.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::detail::client {

// Changes these members of an operation: whether it has sent a request (started), and whether the
// answer has come (answered).
class sizes {
 public:
  explicit sizes(context& shared) : context_(shared) {}

  // Returns true if no other node can have made the file longer.
  bool certain(file const& f) const {
    return f.mode.is_off() &&
           f.tokens.covers({f.size.bytes / context_.block_bytes(), no_end}, token_mode::read);
  }

  // Requests the size from the manager. Returns true when the answer has come.
  bool learn(operation& o) {
    if (!o.started) {
      o.started = true;
      o.answered = false;
      ++context_.counters().size_queries;
      context_.tell_manager(size_request{o.id, o.file}, o.ready);
    }
    if (!o.answered) return false;
    o.started = false;
    return true;
  }

  // Reports the size to the manager, so that it survives this node. Returns true when the manager
  // has it.
  bool tell(operation& o, file const& f) {
    if (!o.started) {
      if (f.told == f.size) return true;
      o.started = true;
      o.answered = false;
      context_.tell_manager(size_notice{o.id, o.file, f.size}, o.ready);
    }
    return o.answered;
  }

 private:
  context& context_;
};

}  // namespace argosy::lab::gpfs::detail::client
