// Tokens between the nodes of a simulated GPFS, written down and drawn.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>

namespace argosy::lab::gpfs {

//   argosy::virtual_gpfs files({}, 4);
//   argosy::lab::gpfs::traffic const seen(files.system());
//   cluster.run(...);
//   picture << seen.draw("each rank by itself");
//
// Watches from its making to its end; the system outlives it. Watchers of one system end in the reverse order of their making.
class traffic {
 public:
  explicit traffic(loopback& system);
  traffic(traffic const&) = delete;
  ~traffic();

  enum class kind { grant, revocation };
  struct event {
    instant at{};  // since it began to watch, when the message came
    kind what = kind::grant;
    node_id from = 0;  // of a revocation: who wants it; of a grant the same as `to`
    node_id to = 0;
  };
  std::vector<event> const& events() const { return events_; }
  std::int64_t count(kind what) const;
  double seconds() const;  // of the last event

  // An SVG: a line for each node, time from left to right. A tick is a token that a node is given by the manager; a line
  // between nodes is one that the upper end or the lower end, whichever has the dot, takes away from the other.
  // `seconds`: how long the axis is, so that pictures can be compared; 0: as long as it took.
  std::string draw(std::string const& title, double seconds = 0) const;

 private:
  loopback& system_;
  instant began_;
  std::function<void(message const&, instant)> next_;
  std::vector<event> events_;
};

}  // namespace argosy::lab::gpfs
