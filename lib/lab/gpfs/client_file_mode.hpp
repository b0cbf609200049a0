// The state of a file's partitioning on a client node: the stage, the owners, and the operations
// that they still serve.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <argosy/lab/gpfs/detail/partition_map.hpp>

namespace argosy::lab::gpfs::detail::client {

// The manager starts the partitioned mode, reports when all nodes have entered it, and ends it.
// Each time has a number, its epoch.
class file_mode {
 public:
  bool is_off() const { return stage_ == stage::off; }
  bool is_entering() const { return stage_ == stage::entering; }
  bool is_on() const { return stage_ == stage::on; }
  // Returns true if a message about the mode is still to come: that all nodes have entered, or that
  // the mode has ended, as an owner has reported.
  bool is_changing() const { return is_entering() || (is_on() && epoch_ <= ended_epoch_); }
  std::int64_t epoch() const { return epoch_; }
  partition_map const& map() const { return map_; }

  void enter(std::int64_t epoch, partition_map const& map) {
    stage_ = stage::entering;
    epoch_ = epoch;
    map_ = map;
    told_ready_ = false;
  }
  void go(std::int64_t epoch) {
    if (epoch_ == epoch && is_entering()) stage_ = stage::on;
  }
  void leave(std::int64_t epoch) {
    stage_ = stage::off;
    leaving_epoch_ = epoch;
  }
  // Notes that another node has reported the end.
  void note_end(std::int64_t epoch) { ended_epoch_ = std::max(ended_epoch_, epoch); }

  // Stores the error of a flush. The manager needs it while the mode is on, or begins or ends.
  void note_error(int error) {
    if (!is_off() || leaving_epoch_ != 0) error_ = error;
  }
  // Returns true if the manager waits until this node has dropped all data of the old mode.
  bool has_to_report() const { return enters() || leaving_epoch_ != 0; }
  struct report {
    std::int64_t epoch = 0;
    int error = 0;
  };
  report take_report() {
    int const error = std::exchange(error_, 0);
    if (!enters()) return {std::exchange(leaving_epoch_, 0), error};
    told_ready_ = true;
    return {epoch_, error};
  }

  // Count operations for other nodes, or for this one as owner.
  void begin_serving() { ++serving_; }
  void end_serving() { --serving_; }
  bool is_serving() const { return serving_ > 0; }

 private:
  bool enters() const { return is_entering() && !told_ready_; }

  enum class stage { off, entering, on } stage_ = stage::off;
  std::int64_t epoch_ = 0;
  partition_map map_;
  std::int64_t ended_epoch_ = 0;  // the last epoch that other nodes have reported as ended
  std::int64_t leaving_epoch_ = 0;
  bool told_ready_ = false;
  int error_ = 0;  // error of flushes since the mode began
  int serving_ = 0;
};

}  // namespace argosy::lab::gpfs::detail::client
