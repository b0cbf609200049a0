// Implements plan/report.hpp for programs that link the library.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/plan/report.hpp>

#include <argosy/plan/detail/report.hpp>
