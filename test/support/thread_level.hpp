// The level of thread support that a test under mpiexec requests from MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::test {

// Returns true if threads of the test call MPI. Such a test defines it; the default returns false.
bool calls_from_threads();

}  // namespace argosy::test
