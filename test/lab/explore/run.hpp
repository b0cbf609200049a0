// Runs a program and looks whether everything is as it must be.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <argosy/handle/opener.hpp>
#include <argosy/policy/any_policy.hpp>

#include "features.hpp"
#include "program.hpp"

namespace argosy::explore {

struct verdict {
  std::string wrong;  // empty: nothing
  std::uint64_t trace_hash = 0;
  explore::features features;
};

// What tests put in place of what the program says: to plant bugs, and see that they are found.
struct changes {
  std::function<opener(opener, int rank)> files;
  std::function<any_policy(any_policy)> policy;
  // the same as `files`, but what it hides has been witnessed
  std::function<opener(opener, int rank)> above = {};
};

verdict verdict_of(program const& p, changes const& c = {});

// Fewer steps, ranks and faults with which something is still wrong. `tries` is how many runs it
// may take.
program shrunk(program p, std::function<bool(program const&)> const& is_wrong, int tries = 2000);

}  // namespace argosy::explore
