// The time of a call and of its phases, added up in the call's report while it runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/exchange/detail/time_source.hpp>
#include <argosy/handle/tracer.hpp>
#include <argosy/plan/report.hpp>

namespace argosy::detail {

// Lives as long as the call, on its thread. An earlier listener continues to be called. Before this
// rank waits for others, the trace is written out, so that it is complete if they never come.
// `trace` may be null.
class call_times final : public phase_listener {
 public:
  call_times(time_source const& clock, report& to, tracer* trace = nullptr)
      : clock_(clock),
        to_(to),
        trace_(trace),
        outer_(phases_heard_by),
        began_(now_ns(clock)),
        heard_(this) {}
  call_times(call_times const&) = delete;
  call_times& operator=(call_times const&) = delete;
  ~call_times() { to_.time_ns += now_ns(clock_) - began_; }

  void begin(phase p, phase_facts const& facts) noexcept override {
    if (trace_ && (p == phase::agreement || p == phase::waiting)) [[unlikely]]
      trace_->flush();
    if (outer_) outer_->begin(p, facts);
    span& s = spans_[static_cast<std::size_t>(p)];
    if (s.depth++ == 0 && counted(p)) s.since = now_ns(clock_);
  }
  void end(phase p) noexcept override {
    span& s = spans_[static_cast<std::size_t>(p)];
    if (--s.depth == 0 && counted(p)) to_.*counted(p) += now_ns(clock_) - s.since;
    if (outer_) outer_->end(p);
  }
  void message_passed(message_end e, int peer, std::int64_t bytes) noexcept override {
    if (outer_) outer_->message_passed(e, peer, bytes);
  }

 private:
  struct span {
    int depth = 0;  // the call of a decorated handle contains the call of the inner handle
    std::int64_t since = 0;
  };

  // Returns the member for the time of a phase; null if it is not counted separately.
  static std::int64_t report::* counted(phase p) noexcept {
    switch (p) {
      case phase::agreement:
        return &report::agreement_ns;
      case phase::waiting:
        return &report::waiting_ns;
      case phase::file:
        return &report::file_ns;
      case phase::locks:
        return &report::lock_ns;
      case phase::call:
      case phase::exchange:
        break;
    }
    return nullptr;
  }

  time_source const& clock_;
  report& to_;
  tracer* trace_;
  phase_listener* outer_;
  std::int64_t began_;
  std::array<span, phase_count> spans_ = {};
  hearing_phases heard_;  // the last member: the others must exist while it listens
};

}  // namespace argosy::detail
