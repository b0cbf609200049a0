// Storage of several kinds, as tests of merges name it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/mode.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy::test {

inline extend::storage traits(bool network, bool caches, bool exact, bool late) {
  return {.over_network = network,
          .separate_caches = caches,
          .exact_writes = exact,
          .reads_late = late};
}

inline extend::storage const lustre = traits(true, false, false, false);
inline extend::storage const gluster = traits(true, true, true, false);
inline extend::storage const nfs = traits(true, true, false, false);
inline extend::storage const moose = traits(true, true, true, true);

inline constexpr mode unique = mode::write | mode::unique_open;

}  // namespace argosy::test
