// Whether a file is partitioned, as a client node knows it: the stages of this mode, its owners,
// and what they still serve.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <argosy/lab/gpfs/partition_map.hpp>

namespace argosy::lab::gpfs::client {

// The manager starts the mode, says when all nodes have entered it, and ends it. Each time has a
// number, its epoch.
class file_mode {
 public:
  bool is_off() const { return stage_ == stage::off; }
  bool is_entering() const { return stage_ == stage::entering; }
  bool is_on() const { return stage_ == stage::on; }
  // News of the mode is on its way: that all have entered, or, as an owner has said, that it has
  // ended.
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
  // Another node has reported it.
  void note_end(std::int64_t epoch) { ended_epoch_ = std::max(ended_epoch_, epoch); }

  // A flush has failed. While the mode is on, or begins or ends, the manager wants to know.
  void note_error(int error) {
    if (!is_off() || leaving_epoch_ != 0) error_ = error;
  }
  // The manager waits until this node has nothing of the old mode any more.
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

  // Operations for other nodes, or for this one as owner.
  void begin_serving() { ++serving_; }
  void end_serving() { --serving_; }
  bool is_serving() const { return serving_ > 0; }

 private:
  bool enters() const { return is_entering() && !told_ready_; }

  enum class stage { off, entering, on } stage_ = stage::off;
  std::int64_t epoch_ = 0;
  partition_map map_;
  std::int64_t ended_epoch_ = 0;  // the last one that others have reported as ended
  std::int64_t leaving_epoch_ = 0;
  bool told_ready_ = false;
  int error_ = 0;  // of flushes since the mode began
  int serving_ = 0;
};

}  // namespace argosy::lab::gpfs::client
