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
#include <argosy/lab/gpfs/detail/outbox.hpp>
#include <argosy/lab/gpfs/machine.hpp>

namespace argosy::lab::gpfs {

// The simulated and the real file system share one vocabulary of gpfs_fcntl.
using namespace argosy::gpfs;

namespace detail {

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
  std::int64_t offset = 0;  // for read, write and locks; the new size for resize
  bool only_grow = false;   // for resize
  std::span<std::byte> into;
  std::span<std::byte const> from;
  std::int64_t pieces = 1;  // number of pieces of the task's memory that form `into` or `from`
  // for fcntl: a header and its structures (gpfs_fcntl.hpp), which also receive results
  std::span<std::byte> argument;
  std::string path;  // for open, remove and rename
  std::string to;    // for rename
  // `exclusive` is also for lock
  bool for_reading = true, for_writing = false, create = false, exclusive = false;
  // For open: every write goes to disk before it returns. For write: this one does; if the file is
  // partitioned, only the blocks of this node.
  bool synchronous = false;
  bool waits = true;  // for lock; if false, a lock that would have to wait ends with EWOULDBLOCK
  // For lock and unlock. The owners are the threads or tasks that share one instance. Their locks
  // are separate.
  std::int64_t length = 0;
  std::int64_t owner = 0;
};

// A state machine without threads and sockets. Calls and messages come in, messages and completions
// go out. Any number of calls may be under way. Calls of one node on the same bytes exclude each
// other, as calls of different nodes do.
//
// Written data may reach the disk later: when its token is revoked, when the pool needs space,
// behind a sequential stream, or by sync. If that fails, the bytes are lost, and reads return those
// on disk. The next call of the instance that wrote them fails with the error, once, and does
// nothing else. A close closes nevertheless. If the instance is closed by then, the next instance
// that this node opens on the file gets the error. Calls that move no data (size, lock, unlock,
// hints) do not report the error.
//
// Locks of byte ranges are advisory, and the manager grants them. A lock waits until no other owner
// holds a part of the range; if it is shared, until no other owner holds a part exclusively. Locks
// are granted in the order of arrival. An owner may convert a lock that it holds, and unlock parts
// of it. If the owner holds no lock there, unlock releases a lock of exactly this range that
// another owner of the instance holds. Locks end with their instance, or when the manager has
// buried the node.
class client_node {
 public:
  client_node(node_id node, machine const& m);
  client_node(client_node&&) noexcept;
  client_node& operator=(client_node&&) noexcept;
  ~client_node();

  // Starts a call. Returns the ticket that its completion will carry.
  std::int64_t submit(call c, instant now, outbox& out);
  // Delivers a signal to the task that waits in this call. Only starting and stopping of
  // partitioning can be interrupted.
  void interrupt(std::int64_t ticket, instant now, outbox& out);
  void receive(message const& m, instant now, outbox& out);

  client_counters const& counters() const;
  std::int64_t cached_blocks() const;
  std::int64_t dirty_blocks() const;
  std::int64_t pinned_blocks() const;
  token_mode token(file_id file, std::int64_t block) const;
  // Returns the bytes that are not on disk yet, by offsets in the file. With `on_its_way`, that
  // includes bytes that are being flushed.
  std::vector<block_piece> unsaved(file_id file, bool on_its_way = true) const;
  // Returns the size as this node has it, which may be older than the file's.
  known_size size(file_id file) const;
  // A function that returns when work is done that begins at `at` and takes `takes` on a processor
  // of its own. It is set if the node's processors are counted, by code that has the node's other
  // work. The argument `owner` is that of the call that needs the work, which runs on the processor
  // of the call's task. If `owner` is 0, the node's daemon does the work. Without such a function,
  // one processor does all work, and nothing else runs there.
  using processor_time = std::function<instant(std::int64_t owner, instant at, instant takes)>;
  void set_processors(processor_time f);
  // Returns true if the file of this instance has no bytes. Then the memory of its calls is not
  // touched.
  bool is_hollow(int instance) const;
  std::optional<file_id> file_of(int instance) const;

  class state;  // the implementation

 private:
  std::unique_ptr<state> state_;
};

}  // namespace detail
}  // namespace argosy::lab::gpfs
