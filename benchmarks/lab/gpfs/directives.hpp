// Directives of programs to the simulated GPFS: begin and end file partitioning, and drop a file's
// cache.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/handle/gpfs_fcntl.hpp>

namespace shapes {

struct start_partitioning {
  argosy::gpfs::gpfsFcntlHeader_t header{sizeof(header) + sizeof(start)};
  argosy::gpfs::gpfsDataShipStart_t start;
};
struct stop_partitioning {
  argosy::gpfs::gpfsFcntlHeader_t header{sizeof(header) + sizeof(stop)};
  argosy::gpfs::gpfsDataShipStop_t stop;
};
struct free_all {
  argosy::gpfs::gpfsFcntlHeader_t header{sizeof(header) + sizeof(free)};
  argosy::gpfs::gpfsFreeRange_t free;
};

}  // namespace shapes
