// carry_out: carries out the plan of one rank. Local; waits for no other rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/exchange/detail/memory_side.hpp>
#include <argosy/exchange/detail/staging.hpp>
#include <argosy/exchange/detail/write_guard.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/any_policy.hpp>

namespace argosy::detail {

// Moves data between `file` and `memory`, window by window, as the policy plans it. Counts in
// `done`; `done.bytes` counts from the start of the access. Stops at the first error and at the end
// of the file. If a window cannot be read, it is not written.
template <handle H>
std::error_code carry_out(any_policy const& policy, access const& wanted, H& file,
                          memory_side& memory, merging with, staging& space, report& done);

}  // namespace argosy::detail

#include <argosy/exchange/detail/carry_out_body.hpp>
