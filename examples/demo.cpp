// Run: build/release/bin/demo
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/version.hpp>

#include <fmt/core.h>

int main() { fmt::print("argosy {}\n", argosy::version()); }
