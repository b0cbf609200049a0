// What the system knows: memory, space, its name; and a short trial of the disk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "schedule.hpp"

namespace beffio {

std::string machine_name();   // system, host, release, processor
std::string date_now();       // local, with the zone
std::int64_t memory_bytes();  // of this node
// That files may still take in a directory; half of the free memory, where the file system has them
// there. -1: unknown.
std::int64_t free_bytes(std::string const& directory);
// One process writes a little to a file there, and removes it. Zeros: it could not.
probe tried(std::string const& directory);

// What the run may use, and what it will: on rank 0, before it starts.
struct forecast {
  estimate each;                     // of an implementation
  std::int64_t free = -1;            // bytes
  std::int64_t least = 0;            // bytes that the files need at least
  std::int64_t usable = any_number;  // for all files at a time
  std::int64_t budget = any_number;  // of an implementation and partition
  bool fits() const { return usable >= least; }
};
forecast forecast_of(schedule const& s, probe const& p, int implementations, int ranks,
                     std::int64_t longest, std::int64_t free, std::int64_t asked);
std::string to_string(forecast const& f, schedule const& s, int implementations);

}  // namespace beffio
