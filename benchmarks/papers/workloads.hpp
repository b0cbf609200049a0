// The workloads that have a function each; found by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/policy/independent.hpp>

#include "workload.hpp"

namespace papers {

rates segmented(setup const& s);
rates strided(setup const& s);
rates discontiguous(setup const& s);
rates tile3d(setup const& s);
rates serial_tile(setup const& s);    // the first task has all of it
rates gathered_tile(setup const& s);  // it gets it from the others, in the time
rates b_eff_io(setup const& s);

}  // namespace papers
