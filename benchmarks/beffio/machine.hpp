// Facts of the system: memory, space, its name, and a short trial of the disk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "schedule.hpp"

namespace beffio {

std::string machine_name();   // system, host, release, processor
std::string date_now();       // local time, with the zone
std::int64_t memory_bytes();  // memory of this node
// Returns how many bytes files may still occupy in a directory. If its file system stores files in
// memory, half of the free memory. -1 if unknown.
std::int64_t free_bytes(std::string const& directory);
// Writes a little to a file there by one process, and removes the file. Returns zeros if that
// fails.
probe tried(std::string const& directory);

// The space that the run may use, and the space that it needs. Rank 0 computes it before the start.
struct forecast {
  estimate each;                     // for one implementation
  std::int64_t free = -1;            // in bytes
  std::int64_t least = 0;            // the fewest bytes that the files need
  std::int64_t usable = any_number;  // for all files at a time
  std::int64_t budget = any_number;  // for one implementation and partition
  bool fits() const { return usable >= least; }
};
forecast forecast_of(schedule const& s, probe const& p, int implementations, int ranks,
                     std::int64_t longest, std::int64_t free, std::int64_t asked);
std::string to_string(forecast const& f, schedule const& s, int implementations);

}  // namespace beffio
