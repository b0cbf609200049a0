// carry_out: does to the file of one rank what a plan says. Local; waits for no other rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <vector>

#include <argosy/agree/errc.hpp>
#include <argosy/exchange/memory_side.hpp>
#include <argosy/exchange/staging.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/any_policy.hpp>

namespace argosy {

// How merged writes are made safe against others: by a lock; by being alone with the file (it was opened unique, or the
// caller holds the lock); or not at all, because the file cannot be read: windows are then written by pieces.
// Writing by pieces takes part: under `locked` and `never` it holds a shared lock meanwhile, so that nobody who merges around
// its bytes writes them back as they were before. `never_alone` is `never` without it.
enum class merging { locked, alone, never, never_alone };

// Carries out what the policy plans between `file` and `memory`, window by window, and counts in `done`. Stops at the first
// error and at the end of the file; `done.bytes` is what was transferred from the start of the access on. A window whose
// reading fails is not written.
template <handle H, class Memory>
std::error_code carry_out(any_policy const& policy, access const& wanted, H& file, Memory& memory, merging with,
                          staging& space, report& done);

}  // namespace argosy

#include <argosy/detail/exchange/carry_out.hpp>
