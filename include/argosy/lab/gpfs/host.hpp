// The token manager and the servers of a simulated GPFS between processes. One process hosts it,
// and all may mount it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <system_error>

#include <argosy/lab/gpfs/counters.hpp>
#include <argosy/lab/gpfs/machine.hpp>

namespace argosy::lab::gpfs {

struct host_options {
  machine hardware;
  // The directory of the ordinary files that hold the data, under the same names. Names are
  // relative to it, and cannot lead out of it. If it is empty, names are paths of this process.
  std::string directory;
  bool network = true;  // accept processes on other machines, too, over TCP
};

// Works on threads of its own, which make no MPI calls. Time is real: costs of the machine are
// counted as in the simulation, but calls do not wait for them. Only the lease of a lost node is
// waited for.
//
// An ordinary file belongs to the host from its first open until the host ends. Whenever no node
// has the file open, it has the file's length. Its bytes are those that nodes have flushed. If a
// node dies, the bytes that it has not flushed are lost.
class host {
 public:
  // Starts the host. If it sets `error`, the object may only be destroyed.
  host(host_options o, std::error_code& error);
  host(host const&) = delete;
  ~host();  // local: from now on calls of all mounts fail

  // Returns some lines of text with a secret. A process that has them may mount.
  std::string const& address() const;

  int nodes() const;  // the nodes that have it mounted now
  // Returns the number of malformed messages received. Their senders are disconnected.
  std::int64_t malformed() const;
  manager_counters manager() const;
  server_counters servers() const;  // the sum over all servers

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace argosy::lab::gpfs
