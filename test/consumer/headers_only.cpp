// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout.hpp>
#include <argosy/version.hpp>

static_assert(ARGOSY_VERSION_MAJOR >= 0);
static_assert(argosy::repeat(2, 8, argosy::bytes(8)) == argosy::bytes(16));

int main() {}
