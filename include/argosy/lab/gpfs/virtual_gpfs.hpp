// A simulated GPFS in the virtual cluster: every node of the cluster is one of its client nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/lab/gpfs/file_calls.hpp>
#include <argosy/lab/gpfs/loopback.hpp>

namespace argosy::lab {

namespace detail {
struct gpfs_state;
}

class virtual_gpfs_handle;

// A file system; copies are the same one. It outlives runs. Inside of a run a call of a rank goes
// to the client node of its cluster node and waits in virtual time, while messages, disks and
// revocations go on at theirs; calls fail as the scenario says for the rank, and as `troubles` says
// for the system. Outside of runs calls take no time, and are made on the first node that is alive.
//
//   virtual_gpfs files({.block_bytes = 65536}, 4);
//   cluster.run([&](virtual_rank const& world) {
//     auto f = basic_file<virtual_rank>::open(world, "state", mode::create | mode::write, {},
//     files.opener());
//   });
//
// Written bytes are visible to everyone from the end of the call on, and may be in a page pool
// until sync. If a write to disk fails later, the next call of the handle that wrote fails
// (gpfs/client_node.hpp).
//
// Files that a dead rank had open are closed by its node. When all ranks of a node have died, the
// node is lost, with all that it had not written; when its lease has run out, others get its tokens
// and locks. It stays lost: calls there fail with ESTALE.
class virtual_gpfs {
 public:
  // `nodes`: at least as many as the cluster has. On a further node of the cluster `open` throws
  // std::invalid_argument.
  virtual_gpfs(gpfs::machine const& m, int nodes, gpfs::troubles t = {},
               contents kept = contents::real);

  // Opens retrying handles, with the scenario's faults below the retries.
  argosy::opener opener() const;
  // Opens a handle without retries and scenario faults, for gpfs_fcntl.
  virtual_gpfs_handle open(std::string const& path, open_flags flags, std::error_code& error) const;

  // For use outside of runs: no time passes, nothing fails.
  bool exists(std::string const& path) const;
  std::vector<std::string> names() const;  // sorted
  std::vector<std::byte> content(
      std::string const& path) const;  // as read everywhere now; empty if there is none; throws
                                       // std::logic_error if it has no contents
  // what is left of it if all nodes are lost now
  std::vector<std::byte> on_disk(std::string const& path) const;
  void put(std::string const& path,
           std::span<std::byte const> bytes);  // made or replaced, and on disk; not inside of a run

  gpfs::client_counters counters() const;  // of all nodes
  gpfs::client_counters const& counters(int node) const;
  // The simulated system itself: manager, servers, observers of messages.
  gpfs::loopback& system() const;

 private:
  std::shared_ptr<detail::gpfs_state> state_;
};

// One rank's open file. Locks belong to the rank (or its nonblocking call) that takes them.
class virtual_gpfs_handle : public gpfs::file_calls<virtual_gpfs_handle> {
 public:
  virtual_gpfs_handle() = default;
  virtual_gpfs_handle(virtual_gpfs_handle&& other) noexcept { *this = std::move(other); }
  virtual_gpfs_handle& operator=(virtual_gpfs_handle&& other) noexcept;
  ~virtual_gpfs_handle();  // closes, and waits for nothing

  std::error_code close();
  bool is_open() const noexcept { return state_ != nullptr; }
  std::int64_t block_bytes() const noexcept;
  argosy::storage storage() const;
  std::optional<file_identity> identity() const;
  int node() const noexcept { return node_; }

 private:
  friend class virtual_gpfs;
  friend class gpfs::file_calls<virtual_gpfs_handle>;
  gpfs::completion carry(gpfs::call c);
  std::int64_t owner() const;
  bool is_hollow() const;

  std::shared_ptr<detail::gpfs_state> state_;
  int node_ = 0;
  std::string path_;
};

static_assert(hinting<virtual_gpfs_handle>);

}  // namespace argosy::lab
