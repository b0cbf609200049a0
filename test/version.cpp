// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/version.hpp>

#include "support/catch.hpp"

#include <string>

TEST_CASE("the compiled part and the headers have one version", "[version]") {
  CHECK(argosy::version() == std::to_string(ARGOSY_VERSION_MAJOR) + "." +
                                 std::to_string(ARGOSY_VERSION_MINOR) + "." +
                                 std::to_string(ARGOSY_VERSION_PATCH));
}
