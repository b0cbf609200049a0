// The call that `argosy plan` was asked for, and its run on the virtual cluster.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <argosy/file/hints.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy::tool {

// An array dealt to ranks, or filetypes, which are used unchanged.
struct planned_array {
  std::vector<std::int64_t> sizes, grid;
  std::int64_t element_bytes = 8;
  std::int64_t cyclic = 0;  // 0: dealt in blocks
  layout part_of(std::int64_t rank) const;
  std::int64_t bytes() const;
};

struct planned_call {
  planned_array array;
  std::int64_t ranks = 4, nodes = 1, block_bytes = 4096;
  access_kind kind = access_kind::write;
  argosy::hints hints;
  storage on = {};  // the storage under the file
};

// Counted by the virtual cluster, with seconds of its model.
struct dry_run {
  std::string policy;
  double seconds = 0;
  std::int64_t file_calls = 0, file_runs = 0, messages = 0, message_bytes = 0;
};

// Returns false if this command was built without the laboratory.
bool has_virtual_cluster() noexcept;
// Makes one call on all ranks, after the file is open and the view set. If `by` is empty, the hints
// choose the policy.
dry_run run_dry(planned_call const& c, any_policy const& by);
// Returns the storage under the file of these runs.
storage dry_storage(planned_call const& c);
// Returns the call with the sizes of its array halved until all of it fits into `most_bytes`.
planned_call scaled(planned_call c, std::int64_t most_bytes);

}  // namespace argosy::tool
