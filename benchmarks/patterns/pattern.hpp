// The patterns of argosy::bench under the names that this program uses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/benchmark/patterns/pattern.hpp>

namespace patterns {

using argosy::bench::mpi_share;
using argosy::bench::pattern;
using argosy::bench::share;
using argosy::bench::transfer;

}  // namespace patterns
