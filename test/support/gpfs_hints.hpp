// Arguments of gpfs_fcntl: a header and structures in one struct.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/handle/gpfs_fcntl.hpp>

namespace argosy::test {

using namespace extend;

template <class A>
struct hint {
  gpfs::gpfsFcntlHeader_t header{sizeof(hint)};
  A a;
};
template <class A, class B>
struct hints {
  gpfs::gpfsFcntlHeader_t header{sizeof(hints)};
  A a;
  B b;
};

inline hint<gpfs::gpfsAccessRange_t> access_range(long long start, long long length,
                                                  bool is_write) {
  hint<gpfs::gpfsAccessRange_t> h;
  h.a.start = start;
  h.a.length = length;
  h.a.isWrite = is_write ? 1 : 0;
  return h;
}
inline hint<gpfs::gpfsFreeRange_t> free_range(long long start, long long length) {
  hint<gpfs::gpfsFreeRange_t> h;
  h.a.start = start;
  h.a.length = length;
  return h;
}
inline hint<gpfs::gpfsDataShipStart_t> ship_start(int instances) {
  hint<gpfs::gpfsDataShipStart_t> h;
  h.a.numInstances = instances;
  return h;
}
using ship_start_map = hints<gpfs::gpfsDataShipStart_t, gpfs::gpfsDataShipMap_t>;
template <class List>
ship_start_map ship_start_with(int instances, int partition_bytes, List const& owners) {
  ship_start_map h;
  h.a.numInstances = instances;
  h.b.partitionSize = partition_bytes;
  for (int const owner : owners) h.b.agentNodeNumber[h.b.agentCount++] = owner;
  return h;
}
using ship_stop = hint<gpfs::gpfsDataShipStop_t>;
using ranges_hint = hint<gpfs::gpfsMultipleAccessRange_t>;

}  // namespace argosy::test
