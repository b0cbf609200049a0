// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout.hpp>
#include <argosy/version.hpp>

#include <cstdio>

static_assert(argosy::repeat(2, 8, argosy::bytes(8)) == argosy::bytes(16));

int main() {
  auto const version = argosy::version();
  std::printf("argosy %.*s\n", static_cast<int>(version.size()), version.data());
}
