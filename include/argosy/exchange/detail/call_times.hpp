// How long a call took, and its phases: added up in its report while the call is in them.
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

// Lives as long as the call, on its thread. Who listened before goes on to hear. `trace` may be
// null: it is written before this rank waits for others, so that it has everything if they never
// come.
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
    int depth = 0;  // a decorated handle's call is a call of the one inside, too
    std::int64_t since = 0;
  };

  // Null: what is left of the call's time.
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
  hearing_phases heard_;  // the last member: the others are there while it hears
};

}  // namespace argosy::detail
