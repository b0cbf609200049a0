// Phases of a call: what a rank is doing now, told to whoever listens in its thread. Costs a branch
// where nobody does.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace argosy::detail {

// They nest: a call holds the others, an exchange holds waits and file calls. The time of a phase
// without that of the phases inside it adds up to the call's.
enum class phase : std::uint8_t {
  call,       // the whole of it
  agreement,  // reductions at its begin and end, and the plan between them
  exchange,   // moving data and views between ranks
  waiting,    // for other ranks, or their messages
  file,       // reading and writing
  locks       // getting and giving back locks of the file
};
inline constexpr std::size_t phase_count = 6;

constexpr std::string_view name_of(phase p) noexcept {
  constexpr std::array<std::string_view, phase_count> names{"call",    "agreement", "exchange",
                                                            "waiting", "file",      "locks"};
  return names[static_cast<std::size_t>(p)];
}

struct phase_facts {
  std::string_view name = {};  // a literal: which call it is; empty: that of the phase
  std::int64_t offset = -1;    // in the file; -1: none
  std::int64_t bytes = -1;
  std::int64_t number = -1;      // of a round, from 1
  std::string_view detail = {};  // a literal: what it is for
  char const* source_file = "";  // of a call: where the program made it; line 0: not known
  std::uint_least32_t source_line = 0;
};

enum class message_end : std::uint8_t { sent, received };

class phase_listener {
 public:
  virtual void begin(phase p, phase_facts const& facts) noexcept = 0;
  virtual void end(phase p) noexcept = 0;
  // A message to or from `peer` was begun to be sent, or is there. Both ends hear those of a pair
  // of ranks in the same order.
  virtual void message_passed(message_end, int /*peer*/, std::int64_t /*bytes*/) noexcept {}

 protected:
  ~phase_listener() = default;
};

// Of this thread. The ranks of a virtual cluster share one thread: each has its own while it runs.
inline constinit thread_local phase_listener* phases_heard_by = nullptr;

// While it lives, its thread is in the phase.
class in_phase {
 public:
  explicit in_phase(phase p, phase_facts const& facts = {}) noexcept
      : to_(phases_heard_by), phase_(p) {
    if (to_) [[unlikely]]
      to_->begin(p, facts);
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

// True while this thread reads what it will write back with changes. As phases_heard_by, it is each
// virtual rank's own.
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

// While it lives, `to` hears this thread; null changes nothing.
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
