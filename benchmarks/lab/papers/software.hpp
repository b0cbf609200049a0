// The software of the published rows, each the same on all machines: how it moves data, as a policy
// of this library.
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
  bool plain = false;     // calls of the file system, no library
  bool together = false;  // where it is a choice, calls are collective
  // threads beside their tasks, which poll for messages while these access files
  bool agents = false;
  // false: all there is of a block is written by its agent, so nobody locks ranges of bytes
  bool locks = true;
  argosy::any_policy (*policy)(row const& r,
                               // empty: by hints, as users of this library have it
                               paper_machine const& m) = nullptr;
};

// posix; ibm_prototype, MPI-IO on GPFS of 2000; ibm_pe, as IBM shipped it; romio_1; and argosy,
// this library. Null: none of these.
software const* find_software(std::string_view name);

// ROMIO before it knew file systems: tasks whose accesses interleave exchange data, all of them are
// aggregators, and their domains are of equal length wherever blocks end. Exchange and file access
// take turns.
struct romio_1 {
  static constexpr std::string_view name = "romio_1";
  std::int64_t buffer_bytes = 4 << 20;

  argosy::collective_plan plan(argosy::access_kind kind, argosy::access_summary const& all,
                               argosy::rank_group const& ranks) const;
  std::uint64_t key() const { return static_cast<std::uint64_t>(buffer_bytes); }
  friend bool operator==(romio_1 const&, romio_1 const&) = default;
};

}  // namespace papers
