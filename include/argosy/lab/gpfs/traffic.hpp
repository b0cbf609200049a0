// Records the tokens that move between the nodes of a simulated GPFS, and draws them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
// Watches from construction to destruction; the system must outlive it. Destroy watchers of one
// system in reverse order.
class traffic {
 public:
  explicit traffic(loopback& system);
  traffic(traffic const&) = delete;
  ~traffic();

  enum class kind { grant, revocation };
  struct event {
    instant at{};  // when the message came, since the watch began
    kind what = kind::grant;
    node_id from = 0;  // for a revocation the node that wants it; for a grant equal to `to`
    node_id to = 0;
  };
  std::vector<event> const& events() const { return events_; }
  std::int64_t count(kind what) const;
  double seconds() const;  // time of the last event

  // An SVG: a line for each node, time from left to right. A tick is a token granted by the
  // manager; a line between nodes is a token that the node at the dotted end takes away from the
  // other. `seconds`: the length of the axis, so that pictures can be compared; 0: until the last
  // event.
  std::string draw(std::string const& title, double seconds = 0) const;

 private:
  loopback& system_;
  instant began_;
  std::function<void(message const&, instant)> next_;
  std::vector<event> events_;
};

}  // namespace argosy::lab::gpfs
