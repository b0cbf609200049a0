// Open instances, files and operations under way of a client node. Plain values, which all parts of
// the node use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/lab/gpfs/detail/access_pattern.hpp>
#include <argosy/lab/gpfs/detail/client_node.hpp>
#include <argosy/lab/gpfs/detail/message.hpp>

#include "client_file_mode.hpp"
#include "client_file_tokens.hpp"

namespace argosy::lab::gpfs::detail::client {

using page_key = std::pair<file_id, std::int64_t>;
using writer = std::pair<node_id, int>;  // an open instance, perhaps of another node
using reader = writer;

struct byte_range {
  std::int64_t begin = 0, end = 0;
};

struct instance {
  file_id file = 0;
  bool read = false, write = false, synchronous = false;
  int error = 0;  // late error, not reported yet
  bool prefetch_read = true, prefetch_write = true;
  access_pattern pattern;
  instant last_end{};  // end of the last access
  double bytes_per_s = 0;
  std::int64_t ship_epoch = 0;  // the epoch in which it takes part
  // A range of a hint, until it is released. The operation that reads its block finds it by the
  // number.
  struct accepted_range {
    gpfsRangeArray_t range;
    std::int64_t hint = 0;
    bool pinned = false;
  };
  std::vector<accepted_range> accepted;
};

using instance_table = std::map<int, instance>;

struct file {
  file_tokens tokens;
  known_size size;
  known_size told;        // the size that the manager certainly has
  block_set allocated;    // right for blocks whose token the node has, or which it owns
  bool hollow = false;    // has no contents; see open_answer
  bool resizing = false;  // this node is about to report a new size to the manager
  file_mode mode;
  int orphan_error = 0;  // late error of instances that are closed
  fifo callers;          // orders the calls of this node that read or write it

  // If another node has set the size, drops the allocation of this node. This node had given up all
  // its tokens for that, and reported its allocation with them.
  void learn(known_size const& news) {
    if (news.generation > size.generation && !resizing) allocated = {};
    size.learn(news);
  }
  // Takes over a size from the manager.
  void learn_from_manager(known_size const& news) {
    learn(news);
    told.learn(news);
  }
};

using file_table = std::map<file_id, file>;

// A piece of a shipped call.
struct shipped {
  std::int64_t offset = 0, length = 0;
  node_id owner = 0;
  bool done = false, ended = false;
  int error = 0;
};

enum class phase {
  begin,
  route,
  resize_cut,
  size,
  blocks,
  flush,
  ship,
  ship_size,
  answer,
  directive
};

struct operation {
  enum class what { call, serve, hint } kind = what::call;
  std::int64_t id = 0;
  call asked;
  phase at = phase::begin;
  bool begun = false;
  bool started = false;  // a request has been sent
  bool answered = false;
  std::int64_t awaited = 0;  // number of missing answers
  int error = 0;
  instant ready{};
  bool finished = false;  // set by operations::finish
  // The bytes that it reads or writes.
  file_id file = 0;
  int instance = 0;
  bool is_write = false;
  std::byte* into = nullptr;
  std::byte const* from = nullptr;
  std::int64_t offset = 0, length = 0, done = 0;
  writer who{};  // the instance to report errors to
  // used by operation_locks
  bool locked = false;
  // used by token_cache
  bool asked_token = false;
  std::int64_t request = -1;
  // used by page_pool
  bool missed = false;
  std::optional<page_key> held;
  // used by shipping: of the task's part, and of the owner's
  std::vector<shipped> pieces;
  ship_call served;
  node_id origin = 0;
  payload buffer;
  // used by fcntl_calls
  int structure = 0;   // begin of the current structure
  int advance_by = 0;  // its length
  bool charged = false;
  gpfsRangeArray_t range;  // the range of a hint
};

}  // namespace argosy::lab::gpfs::detail::client
