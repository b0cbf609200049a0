// For tests of MPI datatypes: compares layouts node by node, and with what MPI packs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <mpi.h>

#include <argosy/layout/layout.hpp>

#include "support/random_tree_mpi.hpp"

namespace argosy::test {

inline bool same_nodes(layout const& a, layout const& b) {
  return std::ranges::equal(a.nodes(), b.nodes()) && std::ranges::equal(a.places(), b.places()) &&
         std::ranges::equal(a.tables(), b.tables()) && a.origin() == b.origin();
}

inline std::vector<std::byte> mpi_pack(std::byte const* origin, MPI_Datatype type,
                                       std::size_t size) {
  int const length = static_cast<int>(size);
  std::vector<std::byte> stream(size + 16);
  int position = 0;
  mpi_check(MPI_Pack(origin, 1, type, stream.data(), static_cast<int>(stream.size()), &position,
                     MPI_COMM_SELF),
            "MPI_Pack");
  stream.resize(position == length ? size : static_cast<std::size_t>(position));
  return stream;
}

}  // namespace argosy::test
