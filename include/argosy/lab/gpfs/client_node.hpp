// A client node: page pool, token cache, streams, hints, partitioning; what the tasks of one node share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/lab/gpfs/counters.hpp>
#include <argosy/lab/gpfs/machine.hpp>
#include <argosy/lab/gpfs/outbox.hpp>

namespace argosy::lab::gpfs {

using namespace argosy::gpfs;  // gpfs_fcntl has one vocabulary, here and where the file system is real

enum class call_kind { open, read, write, sync, size, resize, fcntl, close, remove, lock, unlock };

// What a task asks of its node. Memory and argument stay valid until the call is complete.
struct call {
  call_kind kind = call_kind::read;
  int instance = 0;         // as open has returned it
  std::int64_t offset = 0;  // of read, write and locks; of resize, the size
  bool only_grow = false;   // of resize
  std::span<std::byte> into;
  std::span<std::byte const> from;
  std::span<std::byte> argument;  // of fcntl: a header and its structures (fcntl.hpp); written to as the interface says
  std::string path;               // of open and remove
  bool for_reading = true, for_writing = false, create = false, exclusive = false;  // the last of lock, too
  bool synchronous = false;  // every write goes to disk before it returns
  // Of lock and unlock. Each owner of an instance is on its own: threads, or tasks, that share it.
  std::int64_t length = 0;
  std::int64_t owner = 0;
};

// Knows neither threads nor sockets: calls and messages come in, messages and completions go out. Any number of calls
// may be under way; calls of one node on the same bytes exclude each other as calls of different nodes do.
//
// Data that a call has written may reach the disk later: when its token is revoked, when the pool needs the room, behind
// a sequential stream, or by sync. If that fails, the next call of the instance that wrote it fails with the error, once,
// and does nothing else (close closes nevertheless). If the instance is closed by then, the error waits for the next one
// that this node opens on the file. The bytes are lost; what is read is what the disk has. Calls that move no data (size,
// lock, unlock, hints) tell nothing of it.
//
// Locks of byte ranges are advice, and served by the manager: lock waits until nobody else holds a part of the range (with
// exclusive: in any way), in the order of arrival; an owner may convert what it holds, and unlock parts of it. Where it
// holds nothing, unlock gives back what another owner of the instance locked as exactly this range. Locks end with their
// instance, or when the manager has buried the node.
class client_node {
 public:
  client_node(node_id node, machine const& m);
  client_node(client_node&&) noexcept;
  client_node& operator=(client_node&&) noexcept;
  ~client_node();

  // Returns the ticket that its completion will carry.
  std::int64_t submit(call c, instant now, outbox& out);
  // A signal for the task that waits in this call. Only starting and stopping of partitioning can be interrupted.
  void interrupt(std::int64_t ticket, instant now, outbox& out);
  void receive(message const& m, instant now, outbox& out);

  client_counters const& counters() const;
  std::int64_t cached_blocks() const;
  std::int64_t dirty_blocks() const;
  std::int64_t pinned_blocks() const;
  token_mode token(file_id file, std::int64_t block) const;
  // What is newer here than on disk, with what is on its way there or without; offsets in the file.
  std::vector<block_piece> unsaved(file_id file, bool on_its_way = true) const;
  known_size size(file_id file) const;

  class state;  // the machine inside

 private:
  std::unique_ptr<state> state_;
};

}  // namespace argosy::lab::gpfs
