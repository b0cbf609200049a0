// The work of a run, and the observer of its progress.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hint_file.hpp"
#include "result.hpp"
#include "schedule.hpp"

namespace beffio {

enum class unique_open { never, always, not_separated };

struct plan {
  schedule when;
  std::vector<int> partitions;
  std::int64_t longest = 2 * mib;
  std::string directory;  // the directory of the files
  unique_open unique = unique_open::never;
  bool shared_pointer = true;        // if false, type 1 has views, as type 0
  bool keep = false;                 // files are not removed
  std::int64_t budget = any_number;  // bytes in files of one implementation and partition
  hint_file hints;
};

// Returns the end of a file's name: files of an implementation are plan::directory + this.
inline std::string file_name(std::string_view implementation, int partition, int type, int rank) {
  std::string name = "/" + std::string(implementation) + "_np" + std::to_string(partition) + "_" +
                     std::string(type_names[static_cast<std::size_t>(type)]);
  return type == separated ? name + "_" + std::to_string(rank) : name;
}

struct contender {
  std::size_t index;  // index of the implementation
  int partition;
  method how;
  int type;
};

// Gets the progress of the run, on rank 0.
class observer {
 public:
  virtual ~observer() = default;
  virtual void begins(contender const&, int /*pattern*/) {}
  virtual void measured(contender const&, cell const&) {
  }  // its close_seconds are -1 until `closed`
  virtual void closed(contender const&, double /*seconds*/, std::int64_t /*errors*/) {}
  virtual void failed(contender const&, std::string const& /*what*/) {}
};

}  // namespace beffio
