// A client node: page pool, token cache, streams, hints and partitioning, shared by the tasks of
// one node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/lab/gpfs/counters.hpp>
#include <argosy/lab/gpfs/machine.hpp>
#include <argosy/lab/gpfs/outbox.hpp>

namespace argosy::lab::gpfs {

// gpfs_fcntl has one vocabulary, here and where the file system is real
using namespace argosy::gpfs;

enum class call_kind {
  open,
  read,
  write,
  sync,
  size,
  resize,
  fcntl,
  close,
  remove,
  rename,
  lock,
  unlock
};

// A request of a task to its node. Memory and argument must stay valid until the call is complete.
struct call {
  call_kind kind = call_kind::read;
  int instance = 0;         // the number that open returned
  std::int64_t offset = 0;  // for read, write and locks; for resize, the size
  bool only_grow = false;   // for resize
  std::span<std::byte> into;
  std::span<std::byte const> from;
  std::int64_t pieces = 1;  // of the task's memory that `into` or `from` stands for
  // for fcntl: a header and its structures (gpfs_fcntl.hpp), which also receive results
  std::span<std::byte> argument;
  std::string path;  // for open, remove and rename
  std::string to;    // for rename
  // `exclusive` also for lock
  bool for_reading = true, for_writing = false, create = false, exclusive = false;
  bool synchronous = false;  // every write goes to disk before it returns
  bool waits = true;         // for lock: else it ends with EWOULDBLOCK where it would have to
  // For lock and unlock. Owners of one instance are separate: the threads, or tasks, that share it.
  std::int64_t length = 0;
  std::int64_t owner = 0;
};

// Knows neither threads nor sockets: calls and messages come in, messages and completions go out.
// Any number of calls may be under way; calls of one node on the same bytes exclude each other as
// calls of different nodes do.
//
// Data that a call has written may reach the disk later: when its token is revoked, when the pool
// needs the room, behind a sequential stream, or by sync. If that fails, the next call of the
// instance that wrote it fails with the error, once, and does nothing else (close closes
// nevertheless). If the instance is closed by then, the error waits for the next one that this node
// opens on the file. The bytes are lost; reads give what the disk has. Calls that move no data
// (size, lock, unlock, hints) do not report the error.
//
// Locks of byte ranges are advice, and served by the manager: lock waits until nobody else holds a
// part of the range (with exclusive: in any way), in the order of arrival; an owner may convert
// what it holds, and unlock parts of it. Where it holds nothing, unlock gives back what another
// owner of the instance locked as exactly this range. Locks end with their instance, or when the
// manager has buried the node.
class client_node {
 public:
  client_node(node_id node, machine const& m);
  client_node(client_node&&) noexcept;
  client_node& operator=(client_node&&) noexcept;
  ~client_node();

  // Returns the ticket that its completion will carry.
  std::int64_t submit(call c, instant now, outbox& out);
  // A signal reaches the task that waits in this call. Only starting and stopping of partitioning
  // can be interrupted.
  void interrupt(std::int64_t ticket, instant now, outbox& out);
  void receive(message const& m, instant now, outbox& out);

  client_counters const& counters() const;
  std::int64_t cached_blocks() const;
  std::int64_t dirty_blocks() const;
  std::int64_t pinned_blocks() const;
  token_mode token(file_id file, std::int64_t block) const;
  // Bytes not yet on disk, by offsets in the file; with `on_its_way`, also those being flushed.
  std::vector<block_piece> unsaved(file_id file, bool on_its_way = true) const;
  known_size size(file_id file) const;
  // Where the node's processors are counted, by somebody who knows what else runs there: when work
  // that begins at `at`, and takes so long on a processor of its own, is done. `owner` is that of
  // the call for which it is done, on the processor of its task; 0: the node's daemon does it.
  // Null: nothing else runs there, and one processor does all.
  using processor_time = std::function<instant(std::int64_t owner, instant at, instant takes)>;
  void set_processors(processor_time f);
  // Whether the file of this instance has no bytes. Then the memory of its calls is not touched.
  bool is_hollow(int instance) const;
  std::optional<file_id> file_of(int instance) const;

  class state;  // the implementation

 private:
  std::unique_ptr<state> state_;
};

}  // namespace argosy::lab::gpfs
