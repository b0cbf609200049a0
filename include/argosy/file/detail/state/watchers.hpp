// The observers of an open file that the program or its environment asks for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <argosy/exchange/detail/time_source.hpp>
#include <argosy/file/detail/ranks/call_board.hpp>
#include <argosy/file/detail/state/usage.hpp>
#include <argosy/handle/tracer.hpp>

namespace argosy::detail {

class watchers {
 public:
  // null: there is no trace
  tracer* trace() const noexcept { return trace_.get(); }
  void trace_by(std::shared_ptr<tracer> t) { trace_ = std::move(t); }

  // null: no report was asked for
  usage* report() const noexcept { return report_.get(); }
  void report_on(std::string const& path, int rank) {
    report_ = std::make_unique<usage>(path, rank);
    opened_ns_ = now_ns(clock_);
  }
  std::int64_t open_ns() const { return now_ns(clock_) - opened_ns_; }
  // Adds time for which the program waited for requests. Any thread.
  void add_waited(std::int64_t ns) const {
    if (report_) report_->add_waited(ns);
  }

  // Complaints that the environment names something that cannot be read or written, one line each.
  std::string const& complaint() const noexcept { return complaint_; }
  void complain(std::string const& lines) { complaint_ += lines; }

  time_source const& clock() const noexcept { return clock_; }
  void tell_time_by(time_source clock) { clock_ = std::move(clock); }

  // null: the rank is not watched
  call_board* board() const noexcept { return board_.get(); }
  void board_is(std::shared_ptr<call_board> b) { board_ = std::move(b); }
  // Returns the board; makes one if there is none.
  std::shared_ptr<call_board> const& made_board() {
    if (!board_) board_ = std::make_shared<call_board>();
    return board_;
  }

  // Returns true if develop mode is on, whose checks cost time.
  bool develops() const noexcept { return develops_; }
  void develop(bool on) noexcept { develops_ = on; }
  // Returns true at its first call only: parts of an array that do not fit are reported once.
  bool tells_of_parts() const noexcept { return !told_of_parts_.exchange(true); }

 private:
  std::shared_ptr<tracer> trace_;
  std::unique_ptr<usage> report_;
  std::int64_t opened_ns_ = 0;
  time_source clock_;
  std::shared_ptr<call_board> board_;
  std::string complaint_;
  bool develops_ = false;
  mutable std::atomic<bool> told_of_parts_{false};
};

}  // namespace argosy::detail
