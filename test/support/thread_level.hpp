// What a test under mpiexec asks of MPI before it starts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy::test {

// A test whose threads call MPI defines it to be true; otherwise there is one that is false.
bool calls_from_threads();

}  // namespace argosy::test
