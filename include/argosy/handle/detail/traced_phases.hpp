// The phases of one call, stored until it ends, then written to the trace.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/extend.hpp>

namespace argosy {
namespace extend {

class tracer;

}  // namespace extend
}  // namespace argosy

namespace argosy::detail {

struct traced_phase {
  phase what = {};
  phase_facts facts = {};
  std::chrono::steady_clock::time_point begin = {}, end = {};
};
struct traced_message {
  message_end what = {};
  int peer = 0;
  std::int64_t bytes = 0;
  std::chrono::steady_clock::time_point at = {};
};

// Listens to the phases of its own thread while it lives. If `to` is null or traces no phases, it
// costs a branch. A phase costs two readings of the clock, and its line is written after the call.
class traced_phases final : public phase_listener {
 public:
  traced_phases(tracer* to, std::string_view file) noexcept
      : to_(to && wanted_by(*to) ? to : nullptr), file_(file), heard_(to_ ? this : nullptr) {}
  traced_phases(traced_phases const&) = delete;
  traced_phases& operator=(traced_phases const&) = delete;
  ~traced_phases() {
    if (to_) write();
  }

  // Begins a phase. A call of a decorated handle is a call of the handle inside, too, but only one
  // phase. Rounds have names, and belong to the exchange.
  void begin(phase p, phase_facts const& facts) noexcept override;
  void end(phase p) noexcept override;
  void message_passed(message_end e, int peer, std::int64_t bytes) noexcept override;

 private:
  static bool wanted_by(tracer const& to) noexcept;
  void write() noexcept;

  struct left_over;
  struct open_phase {
    std::size_t index;
    int again;
  };
  tracer* to_;
  std::string_view file_;
  std::vector<traced_phase> all_;
  std::vector<traced_message> messages_;
  std::vector<open_phase> open_;
  hearing_phases heard_;  // last member: the others must live while it listens
};

}  // namespace argosy::detail
