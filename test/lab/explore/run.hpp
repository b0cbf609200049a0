// Runs a program and checks everything.
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

using namespace extend;

struct verdict {
  std::string wrong;  // empty if nothing is wrong
  std::uint64_t trace_hash = 0;
  explore::features features;
};

// Changes to a program's parts, by which tests plant bugs to see that they are found.
struct changes {
  std::function<opener(opener, int rank)> files;
  std::function<any_policy(any_policy)> policy;
  // replaces like `files`, but around the witness, so that the witness has seen the errors that it
  // hides
  std::function<opener(opener, int rank)> above = {};
};

verdict verdict_of(program const& p, changes const& c = {});

// Returns a program with fewer steps, ranks and faults for which `is_wrong` still holds. Runs at
// most `tries` programs.
program shrunk(program p, std::function<bool(program const&)> const& is_wrong, int tries = 2000);

}  // namespace argosy::explore
