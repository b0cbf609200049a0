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
#include <argosy/plan/plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access.hpp>

namespace argosy {

// A merged write is safe against others only under the lock; nobody else has the file open where it was opened unique.
enum class merging { locked, alone };

// Carries out `p` between `file` and `memory`, and counts in `done`. Stops at the first error and at the end of the file;
// `done.bytes` is what was transferred from the start of the access on. A window whose reading fails is not written.
template <handle H, class Memory>
std::error_code carry_out(plan const& p, access const& wanted, H& file, Memory& memory, merging with, staging& buffer,
                          report& done);

}  // namespace argosy

#include <argosy/detail/exchange/carry_out.hpp>
