// Agents of an open file: started by hints, with their parts of the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <system_error>
#include <utility>

#include <argosy/file/detail/ranks/crew.hpp>
#include <argosy/file/detail/state/agency.hpp>
#include <argosy/file/detail/state/partitioning.hpp>

namespace argosy::detail {

// Starts agents if the hints, which are equal on all ranks, ask for them and there are none yet.
template <communicator World>
void crew<World>::serve_agents() {
  if (!file->wants_agents()) return;
  if constexpr (serving<World>) {
    std::unique_ptr<agency> next = std::make_unique<agency>(*file, ranks->group(*world, *file));
    std::error_code error;
    std::unique_ptr<service> all = world->serve(next->answers(), error);
    if (error) {
      file->agents().refuse("agents cannot serve: " + error.message());
      return;
    }
    next->serve(std::move(all));
    file->agents().serve(std::move(next));
  } else {
    file->agents().refuse("ranks of this world cannot serve each other");
  }
}

// Has the stripes of each agent cached on its node, if the hints, which are equal on all ranks, ask
// for it. Fails only if ending the previous partitioning failed.
template <communicator World>
failure crew<World>::partition() {
  partitioning& parts = file->agents().parts();
  bool const wanted = file->wants_partitioning();
  if (!wanted && parts.asked() == partitioning::stripes()) return {};
  agency const* const serving = file->agents().serving();
  rank_group const& group = serving ? serving->ranks() : ranks->group(*world, *file);
  data_shipping const how = file->choice().data_shipping;
  partitioning::stripes const next =
      wanted ? partitioning::stripes_of(how, group) : partitioning::stripes();
  if (parts.asked() == next) return {};
  agent_nodes nodes;
  nodes.busy = file->others().has_requests();
  failure const unknown = failure_of(errc::io, [&]() -> failure {
    parts.add_node(nodes, file->handle().node(), file->rank(), how, group);
    nodes.can_be_told = file->handle().takes_hints();
    return {};
  });
  if (unknown) nodes.can_be_told = false;
  world->all_reduce(nodes);
  if (nodes.busy) return {};  // tried again at the next call that looks at hints
  failure const ended = unpartition();
  if (!wanted || parts.is_on()) return ended;
  bool const possible = partitioning::is_possible(next, nodes);
  agreement started;
  bool released = false;
  if (possible) {
    failure mine = failure_of(
        errc::io, [&] { return partitioning::start(file->handle(), next, world->size(), nodes); });
    released = partitioning::was_released(mine);
    started = agree_on_outcome(*world, released ? failure() : mine, released);
  }
  bool const on = possible && started && !released;
  parts.is_now(next, on ? "" : "refused");
  if (!on)  // the full reason, if there is memory for it
    failure_of(errc::io, [&] {
      parts.is_now(next, !possible  ? partitioning::why_impossible(next, nodes)
                         : !started ? message_of(started, "fcntl", file->path(), file->rank())
                                    : "a rank did not start it in time, or its node is lost");
    });
  return ended;
}

// Ends the partitioning; all ranks learn whether it has ended. If it could not be ended, the next
// call that needs this tries again, or `close`.
template <communicator World>
failure crew<World>::unpartition() {
  if (!file->agents().parts().is_on()) return {};
  failure mine = failure_of(errc::io, [&] { return partitioning::stop(file->handle()); });
  bool kept = mine && !partitioning::has_ended(mine);
  bool const released = partitioning::was_released(mine);
  // some rank knows why it was released
  bool const known = !agree_on_outcome(*world, released ? failure() : mine, kept);
  if (!kept) file->agents().parts().is_now({});
  if (mine && !kept && !file->late().of_sync()) file->late().keep_of_sync(mine);
  return known && released ? failure() : mine;
}

template <communicator World>
failure crew<World>::follow_hints() {
  if (agency* const a = file->agents().serving()) a->set_prices(file->choice().sieving_of_owner());
  serve_agents();
  return partition();
}

}  // namespace argosy::detail
