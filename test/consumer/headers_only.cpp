// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/layout.hpp>
#include <argosy/policy.hpp>
#include <argosy/version.hpp>

static_assert(ARGOSY_VERSION_MAJOR >= 0);
static_assert(argosy::repeat(2, 8, argosy::bytes(8)) == argosy::bytes(16));

// A policy must be found again by its type, with or without run-time type information.
int main() {
  argosy::extend::any_policy const chosen(argosy::two_phase{});
  return chosen.target<argosy::two_phase>() != nullptr &&
                 chosen.target<argosy::sieving>() == nullptr
             ? 0
             : 1;
}
