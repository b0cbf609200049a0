// The threads of a rank that encode and decode.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/file/hints.hpp>
#include <argosy/format/detail/together.hpp>
#include <argosy/world/detail/host.hpp>

namespace argosy::detail {

// Returns the threads of a rank. `own` processors are those that it may use, `all` those of the
// ranks of its node. `asked` is the hint argosy_codec_threads.
int codec_threads(std::int64_t own, std::int64_t all, std::int64_t ranks, std::int64_t asked);
// Returns the hint argosy_codec_threads, as these hints and those of the environment say.
std::int64_t codec_threads_in(hints const& given);

// The ranks of this rank's node and their processors. A world that knows no processors has one for
// each rank.
struct node_processors {
  std::int64_t own = 1, all = 1, ranks = 1;
};
// Collective.
template <communicator World>
node_processors processors_of_node(joint_call<World> const& s) {
  node_processors n;
  if constexpr (requires(World const& w) { w.processors(); })
    s.on_node([&](World const& near) {
      processor_set set = near.processors();
      n.own = set.count();
      near.all_reduce(set);
      n.all = set.count();
      n.ranks = near.size();
    });
  return n;
}

// Processors that may be fewer than the ranks that share them. `each` is how many a rank of this
// node has, and `all` are those of all nodes.
struct shared_processors {
  double each = 1, all = 1;
  void combine(shared_processors const& other) { all += other.all; }
};
// Collective.
template <communicator World>
shared_processors processors_of_ranks(joint_call<World> const& s) {
  node_processors const n = processors_of_node(s);
  double const each = static_cast<double>(n.all) / static_cast<double>(n.ranks);
  shared_processors sum{each, each};
  s.all_reduce(sum);
  return {each, sum.all};
}

// Return the threads of this rank: as many as there are processors for each rank of the node, if
// the hint, which `asked` returns, is 0. Collective.
template <communicator World, class Asked>
int codec_threads_by(joint_call<World> const& s, Asked const& asked) {
  node_processors const n = processors_of_node(s);
  int threads = 1;
  s.alone(errc::io, [&] { threads = codec_threads(n.own, n.all, n.ranks, asked()); });
  return threads;
}
template <communicator World>
int codec_threads_for(joint_call<World> const& s, hints const& given) {
  return codec_threads_by(s, [&] { return codec_threads_in(given); });
}

}  // namespace argosy::detail
