// Runs a program on virtual ranks, in any world made of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include <argosy/lab/cluster/virtual_cluster.hpp>

#include "actor.hpp"
#include "run.hpp"
#include "witness.hpp"

namespace argosy::explore {

// `world_of(rank, session)` returns the world of a rank.
template <class MakeWorld>
verdict run_on(program const& p, changes const& c, MakeWorld&& world_of) {
  verdict v;
  try {
    std::unique_ptr<file_system> const files = files_for(p);
    session s(p, *files);
    std::int64_t const steps = static_cast<std::int64_t>(s.steps().size()) + 1;
    lab::virtual_cluster const cluster(
        p.world, {.stack_bytes = std::size_t{1} << 20,
                  .most_events = (1'000'000 + 20'000 * steps * p.world.ranks) * (p.gpfs ? 4 : 1)});
    lab::virtual_report const r = cluster.run([&](lab::virtual_rank const& rank) {
      struct guard {
        session& told;
        int me;
        bool ended = false;
        ~guard() { told.leave(me, !ended); }
      } here{s, rank.rank()};
      auto const world = world_of(rank, s);
      opener mine = with_witness(c.files ? c.files(files->files(), rank.rank()) : files->files(), s,
                                 rank.rank());
      if (c.above) mine = c.above(std::move(mine), rank.rank());
      actor(s, world, c, std::move(mine)).run();
      here.ended = true;
    });
    s.finish();
    v.trace_hash = r.trace_hash;
    v.features = s.features;
    count_world(p, v.features);
  } catch (std::exception const& e) {
    v.wrong = e.what();
  }
  return v;
}

}  // namespace argosy::explore
