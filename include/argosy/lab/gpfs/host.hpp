// Token manager and servers of a simulated GPFS between processes: one of them hosts it, all may
// mount it.
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
  // The directory of the ordinary files that hold the data, under the same names. Empty: names are
  // paths as this process understands them; otherwise names are relative to it, and do not lead
  // out.
  std::string directory;
  bool network = true;  // also for processes on other machines, over TCP
};

// Works on threads of its own, which make no MPI calls. Time is real: costs of the machine are
// counted as in the simulation, but nobody waits for them, except for the lease of a lost node.
//
// An ordinary file belongs to the host from its first open until the host ends; whenever nobody has
// the file open, it has the file's length. Its bytes are those that nodes have flushed: what a
// dying node has not flushed is lost.
class host {
 public:
  host(host_options o, std::error_code& error);
  host(host const&) = delete;
  ~host();  // local: from now on calls of all mounts fail

  // Some lines of text with a secret: a process that has them may mount.
  std::string const& address() const;

  int nodes() const;  // nodes that have it mounted now
  // Number of malformed messages received. Their senders are disconnected.
  std::int64_t malformed() const;
  manager_counters manager() const;
  server_counters servers() const;  // all together

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace argosy::lab::gpfs
