// The processors of a node: which of them ranks hold, and how work shares them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace argosy::lab::detail {

// Threads stay where they are: the ranks of a node are dealt to its processors once, and all that
// can run on a processor have equal parts of it. A rank that polls for messages can run. Other work
// on the node, which a file system's daemon does for all, goes where least is to be done: to a
// processor of its own if there is one, else beside a rank.
class node_processors {
 public:
  using picoseconds = std::int64_t;

  explicit node_processors(std::int64_t count) : all_(static_cast<std::size_t>(count)) {}

  // When a rank is done with work of its own that it begins at `at`: the processor is its own but
  // for `others`, ranks that can run there, too, and for a daemon's work.
  picoseconds work(std::size_t place, int others, picoseconds at, picoseconds takes) {
    picoseconds const alone = 1 + others, beside = 2 + others;
    for (stretch const& s : all_[place % all_.size()].busy) {
      if (s.end <= at) continue;
      if (s.begin > at) {
        picoseconds const until = (s.begin - at) / alone;
        if (takes <= until) break;
        takes -= until;
        at = s.begin;
      }
      picoseconds const within = (s.end - at) / beside;
      if (takes <= within) return at + takes * beside;
      takes -= within;
      at = s.end;
    }
    return at + takes * alone;
  }

  // When a daemon is done with work that it begins at `at`. `ranks(place)`: how many of them can
  // run on a processor. What ended before `now` is forgotten.
  template <class Ranks>
  picoseconds work_beside(Ranks&& ranks, picoseconds now, picoseconds at, picoseconds takes) {
    std::size_t best = 0;
    std::int64_t least = 0;
    for (std::size_t k = 0; k < all_.size(); ++k) {
      processor& p = all_[k];
      while (!p.busy.empty() && p.busy.front().end <= now) p.busy.pop_front();
      std::int64_t const here = ranks(k) + (p.free > at ? 1 : 0);
      if (k > 0 && (here > least || (here == least && p.free >= all_[best].free))) continue;
      best = k;
      least = here;
    }
    processor& p = all_[best];
    // Daemons of one node share a processor one after the other: which of them waits makes no
    // difference to ranks.
    picoseconds const begin = std::max(at, p.free), end = begin + takes * (1 + ranks(best));
    if (!p.busy.empty() && p.busy.back().end == begin)
      p.busy.back().end = end;
    else
      p.busy.push_back({begin, end});
    return p.free = end;
  }

 private:
  struct stretch {
    picoseconds begin, end;
  };
  struct processor {
    std::deque<stretch> busy;  // with a daemon's work; in order, disjoint
    picoseconds free = 0;      // the end of the last one
  };
  std::vector<processor> all_;
};

}  // namespace argosy::lab::detail
