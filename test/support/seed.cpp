// SPDX-License-Identifier: BSD-3-Clause
#include "seed.hpp"

#include <cstdlib>
#include <string>

namespace argosy::test {

auto seed() -> std::uint64_t {
  char const* const text = std::getenv("ARGOSY_TEST_SEED");
  return text != nullptr ? std::stoull(text) : 20250101;
}

}  // namespace argosy::test
