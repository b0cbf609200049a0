// Records the tokens that move between the nodes of a simulated GPFS, and draws them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>

namespace argosy::lab::gpfs {

//   argosy::lab::virtual_gpfs files({}, 4);
//   argosy::lab::gpfs::traffic const seen(files.system());
//   cluster.run(...);
//   picture << seen.draw("each rank by itself");
//
// Records from construction to destruction. The system must outlive it. If several record one
// system, destroy them in reverse order.
class traffic {
 public:
  explicit traffic(loopback& system);
  traffic(traffic const&) = delete;
  ~traffic();

  enum class kind { grant, revocation };
  struct event {
    std::chrono::nanoseconds at{};  // arrival of the message, since the recording began
    kind what = kind::grant;
    int from = 0;  // for a revocation the node that needs the token; for a grant equal to `to`
    int to = 0;
  };
  std::vector<event> const& events() const { return events_; }
  std::int64_t count(kind what) const;
  double seconds() const;  // time of the last event

  // Returns an SVG with a line for each node, and time from left to right. A tick is a token
  // granted by the manager. A line between nodes is a token that the node at the dotted end takes
  // from the other one. The argument `seconds` is the length of the axis, so that pictures can be
  // compared. If it is 0, the axis ends at the last event.
  std::string draw(std::string const& title, double seconds = 0) const;

 private:
  loopback& system_;
  std::chrono::nanoseconds began_;
  std::function<void(detail::message const&, std::chrono::nanoseconds)> next_;
  std::vector<event> events_;
};

}  // namespace argosy::lab::gpfs
