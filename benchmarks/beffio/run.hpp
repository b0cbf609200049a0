// A run: all methods, types and patterns on all partitions, for one implementation, or for several
// in turn.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include <argosy/world/communicator.hpp>

#include "type_run.hpp"

namespace beffio {

// Runs with memory of the caller, which has room for the largest call.
template <class Memory, argosy::communicator World, implementation<World>... Implementations>
void run_in(Memory& memory, World const& world, plan const& p, observer& tell,
            Implementations... files) {
  struct team {
    World ranks, alone;
    std::vector<files_state> states;
  };
  World const alone = world.split(world.rank(), 0);
  std::vector<team> teams;
  for (int const n : p.partitions)
    teams.push_back({world.split(world.rank() < n ? 0 : 1, world.rank()), alone,
                     std::vector<files_state>(sizeof...(Implementations))});

  auto const one_type = [&](team& t, int partition, method m, int type) {
    auto const begun = [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple<type_run<World, Implementations, Memory>...>(
          type_run<World, Implementations, Memory>(t.ranks, t.alone, files, p, t.states[K], memory,
                                                   tell, contender{K, partition, m, type})...);
    };
    auto runs = begun(std::index_sequence_for<Implementations...>());
    std::apply([](auto&... r) { (r.open(), ...); }, runs);
    for (int number = 0; number < most_patterns; ++number)
      std::apply([&](auto&... r) { (r.run(number), ...); }, runs);
    std::apply([](auto&... r) { (r.close(), ...); }, runs);
    if (m == method::read && !p.keep) std::apply([](auto&... r) { (r.remove(), ...); }, runs);
  };
  auto const one_method = [&](std::size_t which, method m) {
    team& t = teams[which];
    if (world.rank() < p.partitions[which])
      for (int type = 0; type < types; ++type)
        if (is_run(p.when.rules, p.when.all_rewrites, m, type))
          one_type(t, p.partitions[which], m, type);
    world.barrier();
  };
  if (p.when.rules == release::r1) {
    for (std::size_t k = 0; k < teams.size(); ++k)
      for (method const m : methods) one_method(k, m);
  } else {
    for (method const m : methods)
      for (std::size_t k = 0; k < teams.size(); ++k) one_method(k, m);
  }
}

// Runs the plan. Collective: called by all ranks of the world, with the same plan. `tell` is called
// on rank 0. Several implementations take turns, pattern by pattern, each with files of its own.
template <argosy::communicator World, implementation<World>... Implementations>
void run(World const& world, plan const& p, observer& tell, Implementations... files) {
  buffers memory(world.rank(), largest_call(p.longest));
  run_in(memory, world, p, tell, files...);
}

}  // namespace beffio
