// The seed of random tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::test {

// Returns the seed of all random tests: a constant, unless the environment variable
// ARGOSY_TEST_SEED is set. A failing test should print it, for instance by CAPTURE(seed()).
// `ARGOSY_TEST_SEED=<seed> build/release/bin/test_<name>` runs the test with that seed again.
auto seed() -> std::uint64_t;

}  // namespace argosy::test
