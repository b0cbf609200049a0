// Implements mpi::serve of world/mpi.hpp: a socket service for the ranks of a communicator.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/world/detail/first_failure.hpp>
#include <argosy/world/mpi.hpp>

#include "socket_service.hpp"

namespace argosy {

namespace {

// Only a few threads for each service, because they share the processors with the program.
constexpr int serving_threads = 3;

}  // namespace

std::unique_ptr<extend::service> mpi::serve(extend::serve_function f,
                                            std::error_code& error) const {
  error.clear();
  wire::station::options o;
  o.workers = serving_threads;
  // All other ranks may connect at the same time, and send their greeting a little later.
  o.most_newcomers = std::max(o.most_newcomers, 2 * static_cast<std::size_t>(size_));
  std::unique_ptr<detail::socket_service> made;
  int mine = 0;
  try {  // other ranks go on to the reduction, so no exception may leave here
    made = std::make_unique<detail::socket_service>(rank_, size_, std::move(f), o, error);
    mine = error.value();
  } catch (std::bad_alloc const&) {
    mine = ENOMEM;
  }
  error = detail::first_failure(*this, mine);
  if (error) return {};
  wire::address const here = made->where();
  std::vector<wire::address> everybody(static_cast<std::size_t>(size_));
  all_gather(std::as_bytes(std::span(&here, 1)), std::as_writable_bytes(std::span(everybody)));
  made->meet(std::move(everybody));
  return made;
}

}  // namespace argosy
