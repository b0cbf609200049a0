// Phases of a call: what a rank is doing now, reported to the listener of its thread. Costs one
// branch if there is no listener.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace argosy::detail {

// Phases nest: a call contains all others, and an exchange contains waits and file calls. The times
// of the phases of a call add up to its time, if the time of inner phases is subtracted from outer
// ones.
enum class phase : std::uint8_t {
  call,       // the whole call
  agreement,  // reductions at begin and end of the call, and the plan between them
  exchange,   // moving data and views between ranks
  waiting,    // waiting for other ranks, or their messages
  file,       // reading and writing the file
  locks       // taking and releasing locks of the file
};
inline constexpr std::size_t phase_count = 6;

constexpr std::string_view name_of(phase p) noexcept {
  constexpr std::array<std::string_view, phase_count> names{"call",    "agreement", "exchange",
                                                            "waiting", "file",      "locks"};
  return names[static_cast<std::size_t>(p)];
}

struct phase_facts {
  std::string_view name = {};  // a literal: the name of the call; empty: that of the phase
  std::int64_t offset = -1;    // offset in the file; -1: none
  std::int64_t bytes = -1;
  std::int64_t number = -1;      // number of a round, from 1
  std::string_view detail = {};  // a literal: the purpose
  char const* source_file = "";  // for a call: its place in the program; line 0: not known
  std::uint_least32_t source_line = 0;
};

enum class message_end : std::uint8_t { sent, received };

class phase_listener {
 public:
  virtual void begin(phase p, phase_facts const& facts) noexcept = 0;
  virtual void end(phase p) noexcept = 0;
  // Reports that the send of a message to `peer` has begun, or that a message from `peer` has come.
  // Both ends of a pair of ranks report their messages in the same order.
  virtual void message_passed(message_end, int /*peer*/, std::int64_t /*bytes*/) noexcept {}

 protected:
  ~phase_listener() = default;
};

// The listener of this thread. The ranks of a virtual cluster share one thread, so the cluster
// switches this variable with the rank.
inline constinit thread_local phase_listener* phases_heard_by = nullptr;

// While it lives, its thread is in the phase.
class in_phase {
 public:
  explicit in_phase(phase p, phase_facts const& facts = {}) noexcept
      : to_(phases_heard_by), phase_(p) {
    if (to_) [[unlikely]]
      to_->begin(p, facts);
  }
  // `facts` returns the facts. It is called only if there is a listener.
  template <std::invocable Facts>
  in_phase(phase p, Facts&& facts) noexcept : to_(phases_heard_by), phase_(p) {
    if (to_) [[unlikely]]
      to_->begin(p, facts());
  }
  in_phase(in_phase const&) = delete;
  in_phase& operator=(in_phase const&) = delete;
  ~in_phase() {
    if (to_) [[unlikely]]
      to_->end(phase_);
  }

 private:
  phase_listener* to_;
  phase phase_;
};

inline void tell_message(message_end e, int peer, std::int64_t bytes) noexcept {
  if (phases_heard_by) [[unlikely]]
    phases_heard_by->message_passed(e, peer, bytes);
}

// True while this thread reads a window that it will change and write back. Switched with the rank
// of a virtual cluster, like phases_heard_by.
inline constinit thread_local bool is_reading_to_merge = false;
inline constexpr std::string_view to_merge = "to merge";

class reading_to_merge {
 public:
  reading_to_merge() noexcept : before_(std::exchange(is_reading_to_merge, true)) {}
  reading_to_merge(reading_to_merge const&) = delete;
  reading_to_merge& operator=(reading_to_merge const&) = delete;
  ~reading_to_merge() { is_reading_to_merge = before_; }

 private:
  bool before_;
};

// While it lives, `to` listens to this thread; null changes nothing.
class hearing_phases {
 public:
  explicit hearing_phases(phase_listener* to) noexcept : before_(phases_heard_by) {
    if (to) phases_heard_by = to;
  }
  hearing_phases(hearing_phases const&) = delete;
  hearing_phases& operator=(hearing_phases const&) = delete;
  ~hearing_phases() { phases_heard_by = before_; }

 private:
  phase_listener* before_;
};

}  // namespace argosy::detail
