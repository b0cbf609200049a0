// The main of tests without MPI.
// SPDX-License-Identifier: BSD-3-Clause
#define CATCH_CONFIG_RUNNER  // for Catch2 2
#include "catch.hpp"
#include "leak_check.hpp"

int main(int argc, char** argv) {
  int const failures = Catch::Session().run(argc, argv);
  argosy::test::check_leaks();
  return failures;
}
