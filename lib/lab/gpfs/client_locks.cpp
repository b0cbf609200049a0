// Implements the locks of a client node's operations (client_locks.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#include "client_locks.hpp"

#include <algorithm>

namespace argosy::lab::gpfs::detail::client {

bool operation_locks::take(operation& o, byte_range bytes, bool is_write) {
  for (lock const& l : locks_)
    if (l.file == o.file && l.bytes.begin < bytes.end && bytes.begin < l.bytes.end &&
        (is_write || l.is_write))
      return false;
  locks_.push_back({o.id, o.file, bytes, is_write});
  o.locked = true;
  return true;
}

void operation_locks::give_back(operation& o) {
  if (!o.locked) return;
  o.locked = false;
  locks_.remove_if([&](lock const& l) { return l.operation == o.id; });
  context_.changed();
}

bool operation_locks::against(file_id id, block_range range, token_mode wanted) const {
  return std::any_of(locks_.begin(), locks_.end(), [&](lock const& l) {
    return l.file == id && (l.is_write || wanted == token_mode::write) &&
           blocks_of(l.bytes.begin, l.bytes.end - l.bytes.begin, context_.block_bytes())
               .overlaps(range);
  });
}

}  // namespace argosy::lab::gpfs::detail::client
