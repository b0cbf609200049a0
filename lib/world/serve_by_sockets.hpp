// Makes a socket service for the ranks of any world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/first_failure.hpp>

#include "socket_service.hpp"

namespace argosy::detail {

// Makes a service, in which `f` answers requests of other ranks. Collective.
template <agreeing World>
std::unique_ptr<service> serve_by_sockets(World const& world, serve_function f,
                                          std::error_code& error) {
  // Only a few threads for each service, because they share the processors with the program.
  constexpr int serving_threads = 3;
  auto const ranks = static_cast<std::size_t>(world.size());
  error.clear();
  wire::station::options o;
  o.workers = serving_threads;
  // All other ranks may connect at the same time, and send their greeting a little later.
  o.most_newcomers = std::max(o.most_newcomers, 2 * ranks);
  std::unique_ptr<socket_service> made;
  int mine = 0;
  try {  // other ranks go on to the reduction, so no exception may leave here
    made = std::make_unique<socket_service>(world.rank(), world.size(), std::move(f), o, error);
    mine = error.value();
  } catch (std::bad_alloc const&) {
    mine = ENOMEM;
  }
  error = first_failure(world, mine);
  if (error) return {};
  wire::address const here = made->where();
  std::vector<wire::address> everybody(ranks);
  world.all_gather(std::as_bytes(std::span(&here, 1)),
                   std::as_writable_bytes(std::span(everybody)));
  made->meet(std::move(everybody));
  return made;
}

}  // namespace argosy::detail
