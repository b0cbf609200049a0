// The messages between nodes, token manager and servers. Plain values: a transport copies or
// serialises them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <argosy/lab/gpfs/detail/block_range.hpp>
#include <argosy/lab/gpfs/detail/block_set.hpp>
#include <argosy/lab/gpfs/detail/partition_map.hpp>
#include <argosy/lab/gpfs/detail/payload.hpp>

namespace argosy::lab::gpfs::detail {

enum class role { client, manager, server };

struct address {
  role who = role::client;
  int index = 0;
  friend constexpr auto operator<=>(address const&, address const&) = default;
};

// Errors in messages are errno values; 0 is none. `request`, `call` and `id` come back unchanged in
// the answer.
//
// The size of a file as the sender has it. A write makes it grow, and a newer generation replaces
// it.
struct known_size {
  std::int64_t bytes = 0;
  std::int64_t generation = 0;  // counts explicit size changes
  void learn(known_size const& o) {
    if (o.generation > generation || (o.generation == generation && o.bytes > bytes)) *this = o;
  }
  friend bool operator==(known_size const&, known_size const&) = default;
};

// --- Names and open instances: client and manager ------------------------------------------------
struct open_request {
  std::int64_t call = 0;
  std::string path;
  int instance = 0;
  bool read = false, write = false, create = false, exclusive = false;
};
struct open_answer {
  std::int64_t call = 0;
  int error = 0;
  file_id file = 0;
  known_size size;
  bool hollow = false;  // the file has no contents, from its creation to its end
};
struct close_notice {
  file_id file = 0;
  int instance = 0;
  known_size size;
};
struct remove_request {
  std::int64_t call = 0;
  std::string path;
};
// Renames a file. A file with the name `to` is removed at the same moment. A rename of a name to
// itself settles earlier renames.
struct rename_request {
  std::int64_t call = 0;
  std::string path, to;
};
struct name_answer {  // answers remove and rename
  std::int64_t call = 0;
  int error = 0;
};

// --- Tokens: client, manager, holders ------------------------------------------------------------
// A range is sent together with the allocation of its blocks. Blocks in `allocated` have a place on
// disk, or may have one. Any other block is a hole, which was never written. Only the node with the
// write token changes the allocation, so messages about tokens are enough to maintain it.
//
// A holder's answer: in `range` it retains at most `kept` of the tokens granted up to `number`.
struct surrender {
  node_id holder = 0;
  block_range range;
  token_mode kept = token_mode::none;
  std::int64_t number = 0;
  block_set allocated = {};
};
struct token_request {
  std::int64_t request = 0;
  file_id file = 0;
  token_mode mode = token_mode::none;
  block_range required, desired;
  bool renewed = false;  // all holders have answered
  std::vector<surrender> surrenders;
  known_size size;
  block_set strides = {};  // desired as well, each range by itself
};
struct token_grant {
  std::int64_t request = 0;
  file_id file = 0;
  token_mode mode = token_mode::none;
  block_range range;
  std::int64_t number = 0;  // counts grants to this node for this file
  known_size size;
  block_set allocated = {};
  block_set strides = {};  // granted as well
};
struct token_holder {
  node_id node = 0;
  std::int64_t number = 0;  // number of the last grant sent to this node
};
struct token_conflict {
  std::int64_t request = 0;
  file_id file = 0;
  std::vector<token_holder> holders;
};
// Refuses a token because the file is partitioned, or about to be.
struct token_refusal {
  std::int64_t request = 0;
  file_id file = 0;
};
struct token_release {
  file_id file = 0;
  block_range range;
  std::int64_t number = 0;  // number of the last grant received
  known_size size;
  block_set allocated = {};
};
struct revoke {
  std::int64_t request = 0;
  file_id file = 0;
  token_mode mode = token_mode::none;  // the mode that the sender needs
  block_range required;
  std::int64_t at = 0;      // the first byte that the sender needs
  std::int64_t number = 0;  // applies only to grants up to this number
};
struct revoke_answer {
  std::int64_t request = 0;
  file_id file = 0;
  surrender given;
  known_size size;
};

// --- The size: client, manager, other clients ----------------------------------------------------
struct size_request {
  std::int64_t request = 0;
  file_id file = 0;
};
struct size_query {
  std::int64_t query = 0;
  file_id file = 0;
};
struct size_report {
  std::int64_t query = 0;
  file_id file = 0;
  known_size size;
};
struct size_answer {
  std::int64_t request = 0;
  file_id file = 0;
  known_size size;
};
struct size_notice {
  std::int64_t request = 0;
  file_id file = 0;
  known_size size;
};
struct resize_request {  // sent by the only node that holds tokens
  std::int64_t request = 0;
  file_id file = 0;
  std::int64_t bytes = 0;
};

// --- Partitioning --------------------------------------------------------------------------------
struct ship_start {
  std::int64_t call = 0;
  file_id file = 0;
  int instance = 0;
  int instances = 0;
  std::optional<partition_map> map;
};
struct ship_stop {
  std::int64_t call = 0;
  file_id file = 0;
  int instance = 0;
};
struct ship_interrupt {  // a signal reached a waiting task
  file_id file = 0;
  int instance = 0;
};
struct ship_done {  // answers ship_start and ship_stop
  std::int64_t call = 0;
  int error = 0;
};
struct ship_begin {  // flush, drop the cache of the file, give back all tokens
  file_id file = 0;
  std::int64_t epoch = 0;
  partition_map map;
};
struct ship_ready {
  file_id file = 0;
  std::int64_t epoch = 0;
  int error = 0;
  known_size size;
  block_set allocated = {};  // for this generation of the size
};
struct ship_go {  // all nodes are ready
  file_id file = 0;
  std::int64_t epoch = 0;
  known_size size;
  block_set allocated = {};
};
struct ship_end {  // flush, drop the cache of the file
  file_id file = 0;
  std::int64_t epoch = 0;
};
// A call that a node sends to the owner of the bytes.
enum class ship_kind { read, write, sync };
struct ship_call {
  // The most that an owner has memory for. Longer accesses are split into several calls.
  static constexpr std::int64_t longest = std::int64_t{64} << 20;

  std::int64_t id = 0;
  file_id file = 0;
  std::int64_t epoch = 0;
  int instance = 0;
  ship_kind kind = ship_kind::read;
  std::int64_t offset = 0, length = 0;
  payload data;
  known_size size;
};
struct ship_answer {
  std::int64_t id = 0;
  file_id file = 0;
  int error = 0;
  bool ended = false;  // not executed, because partitioning has ended
  std::int64_t epoch = 0;
  payload data;
  known_size size;
};
// Reports that bytes did not reach the disk which this instance wrote and another node cached.
struct late_error {
  file_id file = 0;
  int instance = 0;
  int error = 0;
};

// --- Blocks: client and server -------------------------------------------------------------------
struct block_read {
  std::int64_t id = 0;
  file_id file = 0;
  std::int64_t block = 0;
  std::int64_t begin = 0, length = 0;  // inside the block; length 0: all of it
};
struct block_data {
  std::int64_t id = 0;
  file_id file = 0;
  std::int64_t block = 0;
  int error = 0;
  payload data;
  std::int64_t begin = 0;  // the place of the data in the block
  bool lost = false;       // the request was lost; see block_written
};
struct block_piece {
  std::int64_t offset = 0;  // inside the block
  payload data;
};
struct block_write {
  std::int64_t id = 0;
  file_id file = 0;
  std::int64_t block = 0;
  std::vector<block_piece> pieces;
};
struct block_written {
  std::int64_t id = 0;
  file_id file = 0;
  std::int64_t block = 0;
  int error = 0;
  // The server had no buffer and dropped the request. A real server would not answer. This answer
  // only lets the simulation end the wait: the client acts when its timeout has passed.
  bool lost = false;
};
struct cut_blocks {
  std::int64_t id = 0;
  file_id file = 0;
  std::int64_t bytes = 0;  // new length of the file
};
struct blocks_cut {
  std::int64_t id = 0;
  int error = 0;
};

// --- Locks of byte ranges: client and manager ----------------------------------------------------
struct lock_request {
  std::int64_t call = 0;
  file_id file = 0;
  int instance = 0;
  std::int64_t owner = 0;
  std::int64_t begin = 0, end = 0;  // bytes; `no_end` is infinity
  bool exclusive = false;
  bool waits = true;  // if false, a lock that would have to wait is refused
};
struct lock_answer {
  std::int64_t call = 0;
  bool refused = false;
};
struct unlock_notice {
  file_id file = 0;
  int instance = 0;
  std::int64_t owner = 0;
  std::int64_t begin = 0, end = 0;
};

// --- Failure of nodes ----------------------------------------------------------------------------
// from the transport to the manager: no contact; the lease of the node begins to expire
struct node_lost {
  node_id node = 0;
};
struct file_blocks {
  file_id file = 0;
  block_set blocks;
};
struct fence {  // from manager to servers: refuse further writes of this node
  node_id node = 0;
  // blocks that the node may have written, without having reported it
  std::vector<file_blocks> doubtful = {};
};
struct fenced {
  node_id node = 0;
  std::vector<file_blocks> written = {};  // the blocks of `doubtful` that this server has
};
struct node_failed {  // from manager to clients: the tokens of the node are free
  node_id node = 0;
};

using message_body =
    std::variant<open_request, open_answer, close_notice, remove_request, name_answer,
                 token_request, token_grant, token_conflict, token_refusal, token_release, revoke,
                 revoke_answer, size_request, size_query, size_report, size_answer, resize_request,
                 ship_start, ship_stop, ship_interrupt, ship_done, ship_begin, ship_ready, ship_go,
                 ship_end, ship_call, ship_answer, late_error, block_read, block_data, block_write,
                 block_written, cut_blocks, blocks_cut, node_lost, fence, fenced, node_failed,
                 lock_request, lock_answer, unlock_notice, size_notice, rename_request>;

struct message {
  address from, to;
  message_body body;
};

}  // namespace argosy::lab::gpfs::detail
