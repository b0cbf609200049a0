// All policies that a call can be given. Needs only the standard library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/explain.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>
