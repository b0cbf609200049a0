// Token manager and servers of a simulated GPFS between processes: one of them hosts it, all may mount it.
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
  // Where data are at rest, in ordinary files of the same names. Empty: names are paths as this process understands them;
  // otherwise they are relative, and do not lead out.
  std::string directory;
  bool network = true;  // also for processes on other machines, over TCP
};

// Works on threads of its own, which make no call of MPI. Time is real: what the machine would charge is counted as in the
// simulation, but nobody waits for it. Only the lease of a node that is lost is waited for.
//
// An ordinary file belongs to the host from its first open until the host ends; it is as long as the file whenever nobody
// has the file open. Its bytes are what nodes have flushed: a node that dies takes the rest along.
class host {
 public:
  host(host_options o, std::error_code& error);
  host(host const&) = delete;
  ~host();  // local: calls of those who have it mounted fail from now on

  // Some lines of text with a secret: whoever has it may mount.
  std::string const& address() const;
  machine const& hardware() const;

  int nodes() const;  // that have it mounted now
  // Of messages that were no messages. Who sends one is cut off.
  std::int64_t malformed() const;
  manager_counters manager() const;
  server_counters servers() const;  // all together
  std::size_t token_count(std::string const& path) const;

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace argosy::lab::gpfs
