// What a state machine says in answer to an event. The host delivers it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include <argosy/handle/gpfs/message.hpp>

namespace argosy::gpfs {

using instant = std::chrono::nanoseconds;  // since the beginning

// The end of a call.
struct completion {
  std::int64_t ticket = 0;
  std::int64_t value = 0;  // bytes; of open, the instance; of size, the size
  int error = 0;           // errno
  instant at{};
};

class outbox {
 public:
  struct outgoing {
    message what;
    instant departs{};            // not before
    std::int64_t wire_bytes = 0;  // what the network is to charge
  };
  struct timer {
    instant at{};
    std::int64_t id = 0;
  };

  std::vector<outgoing> messages;
  std::vector<completion> completions;
  std::vector<timer> timers;

  void send(address from, address to, message_body body, instant departs, std::int64_t payload_bytes = 0) {
    messages.push_back({{from, to, std::move(body)}, departs, header_bytes + payload_bytes});
  }

  static constexpr std::int64_t header_bytes = 128;
};

// A resource that serves one demand after the other.
class fifo {
 public:
  // When a demand that arrives at `from` is done.
  instant take(instant from, instant duration) {
    free_at_ = std::max(from, free_at_) + duration;
    return free_at_;
  }
  instant free_at() const { return free_at_; }

 private:
  instant free_at_{};
};

constexpr instant duration_of(double seconds) { return instant(static_cast<std::int64_t>(seconds * 1e9 + 0.5)); }

}  // namespace argosy::gpfs
