// All policies: what can be given to a call. Standard library only.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>
