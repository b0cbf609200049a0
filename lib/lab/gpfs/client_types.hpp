// What a client node knows of open instances, files and operations under way. Plain values, which
// the parts of the node work on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/lab/gpfs/access_pattern.hpp>
#include <argosy/lab/gpfs/client_node.hpp>
#include <argosy/lab/gpfs/message.hpp>

#include "client_file_mode.hpp"
#include "client_file_tokens.hpp"

namespace argosy::lab::gpfs::client {

using page_key = std::pair<file_id, std::int64_t>;
using writer = std::pair<node_id, int>;  // an open instance, perhaps of another node
using reader = writer;

struct byte_range {
  std::int64_t begin = 0, end = 0;
};

struct instance {
  file_id file = 0;
  bool read = false, write = false, synchronous = false;
  int error = 0;  // not yet told
  bool prefetch_read = true, prefetch_write = true;
  access_pattern pattern;
  instant last_end{};  // of the last access
  double bytes_per_s = 0;
  std::int64_t ship_epoch = 0;  // it takes part
  // A range of a hint, until it is released; the operation that gets its block knows it by the
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
  known_size told;        // what the manager surely knows of the size
  block_set allocated;    // right for blocks whose token the node has, or which it owns
  bool hollow = false;    // has no bytes: see open_answer
  bool resizing = false;  // the manager is about to be told a new size by this node
  file_mode mode;
  int orphan_error = 0;  // an error of instances that are closed
  fifo callers;          // calls of this node that read or write it take turns

  // After another node has set the size, nothing is right any more of what this one knew: it had
  // given up all its tokens for that, and told then what it had allocated.
  void learn(known_size const& news) {
    if (news.generation > size.generation && !resizing) allocated = {};
    size.learn(news);
  }
  // Takes a size from the manager.
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
  bool started = false;  // something has been asked for
  bool answered = false;
  std::int64_t awaited = 0;  // answers
  int error = 0;
  instant ready{};
  bool finished = false;  // operations::finish
  // What it reads or writes.
  file_id file = 0;
  int instance = 0;
  bool is_write = false;
  std::byte* into = nullptr;
  std::byte const* from = nullptr;
  std::int64_t offset = 0, length = 0, done = 0;
  writer who{};  // to be told of errors
  // operation_locks
  bool locked = false;
  // token_cache
  bool asked_token = false;
  std::int64_t request = -1;
  // page_pool
  bool missed = false;
  std::optional<page_key> held;
  // shipping: of the task's side, and of the owner's
  std::vector<shipped> pieces;
  ship_call served;
  node_id origin = 0;
  payload buffer;
  // fcntl_calls
  int structure = 0;   // where the current one begins
  int advance_by = 0;  // and how long it is
  bool charged = false;
  gpfsRangeArray_t range;  // of a hint
};

}  // namespace argosy::lab::gpfs::client
