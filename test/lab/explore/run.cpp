// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include <argosy/lab/cluster/file.hpp>

#include "run_on.hpp"

namespace argosy::explore {

verdict verdict_of(program const& p, changes const& c) {
  return run_on(p, c, [](lab::virtual_rank const& rank, session&) { return rank; });
}

}  // namespace argosy::explore
