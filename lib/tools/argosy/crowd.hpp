// Warns if there are more ranks than processors, because then waiting for a processor is measured.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include <argosy/world/detail/host.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy::tool {

// Returns the warning; empty if each rank has a processor. Collective.
inline std::string words_of_crowd(mpi const& world) {
  std::int64_t const processors = argosy::detail::processors_of_all(world);
  if (processors >= world.size()) return {};
  return fmt::format(
      "{} ranks share {} processor{}, and wait for them: times are longer than with a processor "
      "each",
      world.size(), processors, processors == 1 ? "" : "s");
}

}  // namespace argosy::tool
