// The processors of a node: which ranks occupy them, and how work shares them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace argosy::lab::detail {

// Threads do not migrate: the ranks of a node are dealt to its processors once, and all that can
// run on a processor have equal parts of it. A rank that polls for messages can run. Other work of
// the node, such as that of a file system's daemon, uses the processor with the least work: one
// without ranks if there is one, otherwise the one with the fewest ranks.
class node_processors {
 public:
  using picoseconds = std::int64_t;

  explicit node_processors(std::int64_t count) : all_(static_cast<std::size_t>(count)) {}

  // Returns when a rank has finished work that it begins at `at`. The rank shares the processor
  // with `others`, the number of other ranks that can run there, and with a daemon's work.
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

  // Returns when a daemon has finished work that it begins at `at`. `ranks(place)` returns how many
  // ranks can run on a processor. Work that ended before `now` is dropped.
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
    // Daemons of one node share a processor one after the other. Their order makes no difference to
    // ranks.
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
    std::deque<stretch> busy;  // times with a daemon's work; in order, disjoint
    picoseconds free = 0;      // the end of the last one
  };
  std::vector<processor> all_;
};

}  // namespace argosy::lab::detail
