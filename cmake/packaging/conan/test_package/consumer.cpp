// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout.hpp>
#include <argosy/version.hpp>

int main() { return argosy::version().empty() || argosy::bytes(8).size() != 8 ? 1 : 0; }
