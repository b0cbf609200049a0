// The software of the published rows: how it moves data, as a policy of this library. It is the
// same on all machines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include <argosy/plan/collective_plan.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/collective_policy.hpp>

#include "machine_file.hpp"
#include "rows.hpp"

namespace papers {

struct software {
  std::string_view name;
  bool plain = false;     // calls of the file system without a library
  bool together = false;  // calls are collective if the program has the choice
  // threads in addition to the tasks, which poll for messages while tasks access files
  bool agents = false;
  // In collective calls exchange and file access take turns: an agent waits until its window is at
  // the servers. PC says that it assembles a large block, and then writes it. TR plans the overlap
  // of both, and IBM's MPI-IO of 2001 has it. Without turns a write returns when its bytes are in
  // the page pool.
  bool by_turns = false;
  // false: the agent of a block writes all its data, so no byte ranges are locked
  bool locks = true;
  argosy::extend::any_policy (*policy)(row const& r,
                                       // Empty: the hints choose, as for users of this library.
                                       paper_machine const& m) = nullptr;
};

// Returns the software of that name, or null. Names: posix; ibm_prototype, MPI-IO on GPFS of 2000;
// ibm_pe, the version that IBM shipped; romio_1; and argosy, this library.
software const* find_software(std::string_view name);

// ROMIO before it had drivers for file systems. Tasks whose accesses interleave exchange data. All
// of them are aggregators, and their domains have equal length, without regard to blocks. Exchange
// and file access take turns.
struct romio_1 {
  static constexpr std::string_view name = "romio_1";
  std::int64_t buffer_bytes = 4 << 20;

  argosy::collective_plan plan(argosy::access_kind kind, argosy::extend::access_summary const& all,
                               argosy::extend::rank_group const& ranks) const;
  std::uint64_t key() const { return static_cast<std::uint64_t>(buffer_bytes); }
  friend bool operator==(romio_1 const&, romio_1 const&) = default;
};

}  // namespace papers
