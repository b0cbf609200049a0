// The output of a state machine for an event: messages, completions and timers. The caller delivers
// them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/detail/message.hpp>

namespace argosy::lab::gpfs::detail {

using instant = std::chrono::nanoseconds;  // time since the start of the run

// The end of a call.
struct completion {
  std::int64_t ticket = 0;
  std::int64_t value = 0;  // bytes; the instance for open, the size for size
  int error = 0;           // errno
  instant at{};
};

class outbox {
 public:
  struct outgoing {
    message what;
    instant departs{};            // the earliest time
    std::int64_t wire_bytes = 0;  // bytes that the network charges for
  };
  struct timer {
    instant at{};
    std::int64_t id = 0;
  };

  std::vector<outgoing> messages;
  std::vector<completion> completions;
  std::vector<timer> timers;

  void send(address from, address to, message_body body, instant departs,
            std::int64_t payload_bytes = 0) {
    messages.push_back({{from, to, std::move(body)}, departs, header_bytes + payload_bytes});
  }

  static constexpr std::int64_t header_bytes = 128;
};

// A resource that serves one demand at a time, in the order of arrival. Demands may be announced in
// another order. If a demand arrives later than announced ones, earlier times stay free for other
// demands.
class fifo {
 public:
  // Returns the time at which a demand is done that arrives at `from`.
  instant take(instant from, instant duration) {
    auto next = std::find_if(busy_.rbegin(), busy_.rend(), [&](stretch const& s) {
                  return s.end <= from;
                }).base();
    for (; next != busy_.end() && from + duration > next->begin; ++next)
      from = std::max(from, next->end);
    instant const end = from + duration;
    bool const follows = next != busy_.begin() && std::prev(next)->end == from;
    bool const leads = next != busy_.end() && next->begin == end;
    if (follows && leads) {
      std::prev(next)->end = next->end;
      busy_.erase(next);
    } else if (follows) {
      std::prev(next)->end = end;
    } else if (leads) {
      next->begin = from;
    } else {
      busy_.insert(next, {from, end});
      if (busy_.size() > remembered) busy_.pop_front();
    }
    return end;
  }

 private:
  struct stretch {
    instant begin, end;
  };
  static constexpr std::size_t remembered = 1000;  // earlier gaps are in the past
  std::deque<stretch> busy_;                       // in order, with gaps between
};

// Converts to nanoseconds, at most 10^8 s, so that a clock of 63 bits does not overflow.
constexpr instant duration_of(double seconds) {
  return instant(static_cast<std::int64_t>(std::min(seconds, 1e8) * 1e9 + 0.5));
}

}  // namespace argosy::lab::gpfs::detail
