// The seed of random tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::test {

// Returns the seed of all random tests: a constant, unless the environment variable ARGOSY_TEST_SEED is
// set. Print it where a test fails, for instance by CAPTURE(seed()):
// `ARGOSY_TEST_SEED=<seed> build/release/bin/test_<name>` replays.
auto seed() -> std::uint64_t;

}  // namespace argosy::test
