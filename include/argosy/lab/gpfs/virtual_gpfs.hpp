// A simulated GPFS in the virtual cluster: every node of the cluster is one of its client nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

// A simulated GPFS of the virtual cluster. Copies are the same one. It outlives runs.
//
// Inside of a run, a call of a rank goes to the client node of its cluster node, and waits in
// virtual time. Messages, disks and revocations have their own times. Calls fail as the scenario
// says for the rank, and as `troubles` says for the system. Outside of runs, calls take no time,
// and are made on the first node that is alive. A lock that would wait forever throws
// std::logic_error there.
//
//   virtual_gpfs files({.block_bytes = 65536}, 4);
//   cluster.run([&](virtual_rank const& world) {
//     auto f = basic_file<virtual_rank>::open(world, "state", mode::create | mode::write, {},
//     files.opener());
//   });
//
// Written bytes are visible to all ranks when the call ends. They may stay in a page pool until
// sync. If a write to disk fails later, the next call of the handle that wrote fails
// (gpfs/detail/client_node.hpp).
//
// If a rank dies, its node closes the files that it had open. If all ranks of a node have died, the
// node is lost, with all data that it had not written. When its lease has expired, other nodes get
// its tokens and locks. The node stays lost: calls there fail with ESTALE.
class virtual_gpfs {
 public:
  // Makes the system with `nodes` client nodes. A cluster should not have more nodes. If a rank is
  // on a node without a client node, its calls by name, such as `open`, throw
  // std::invalid_argument.
  virtual_gpfs(gpfs::machine const& m, int nodes, gpfs::troubles const& t = {},
               contents kept = contents::real);

  // Returns an opener of retrying handles, with the scenario's faults below the retries.
  argosy::opener opener() const;
  // Opens a handle without retries and scenario faults, for gpfs_fcntl.
  virtual_gpfs_handle open(std::string const& path, open_flags flags, std::error_code& error) const;

  // From now on, a write to a file for whose path this returns true ends when its blocks are on
  // disk, as with O_SYNC. In a partitioned file only the blocks of the writing node are. It is
  // called at each write. An empty function: no file.
  void write_synchronously(std::function<bool(std::string const& path)> files);

  // For use outside of runs: the calls take no time, and no fault strikes them.
  bool exists(std::string const& path) const;
  std::vector<std::string> names() const;  // sorted
  // Returns the content, as all nodes would read it now; empty if there is no such file. Throws
  // std::logic_error if it has no contents.
  std::vector<std::byte> content(std::string const& path) const;
  // Returns the bytes that would be left if all nodes were lost now.
  std::vector<std::byte> on_disk(std::string const& path) const;
  // Makes or replaces a file on disk. Call it only outside of runs. Throws std::system_error if a
  // call fails.
  void put(std::string const& path, std::span<std::byte const> bytes);

  gpfs::client_counters counters() const;  // the sum over all nodes
  gpfs::client_counters const& counters(int node) const;
  // Returns the simulated system itself, with manager, servers and observers of messages.
  gpfs::loopback& system() const;

 private:
  std::shared_ptr<detail::gpfs_state> state_;
};

// One rank's open file. A lock belongs to the handle and to the rank (or its nonblocking call) that
// acquires it. Locks of one rank through two handles exclude each other.
class virtual_gpfs_handle : public gpfs::file_calls<virtual_gpfs_handle> {
 public:
  virtual_gpfs_handle() = default;
  virtual_gpfs_handle(virtual_gpfs_handle&& other) noexcept { *this = std::move(other); }
  virtual_gpfs_handle& operator=(virtual_gpfs_handle&& other) noexcept;
  ~virtual_gpfs_handle();  // closes, but waits for nothing

  std::error_code close();
  bool is_open() const noexcept { return state_ != nullptr; }
  std::int64_t block_bytes() const noexcept;
  argosy::extend::storage storage() const;
  std::optional<file_identity> identity() const;
  int node() const noexcept { return node_; }

 private:
  friend class virtual_gpfs;
  friend class gpfs::file_calls<virtual_gpfs_handle>;
  gpfs::detail::completion carry(gpfs::detail::call c);
  std::int64_t owner() const;
  bool is_hollow() const;

  std::shared_ptr<detail::gpfs_state> state_;
  int node_ = 0;
  std::string path_;
};

static_assert(takes_fcntl<virtual_gpfs_handle>);

}  // namespace argosy::lab
