// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <memory>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/world/mpi.hpp>

#include "socket_service.hpp"

namespace argosy {

namespace {

// The services of a process share its processors with the program.
constexpr int serving_threads = 3;

struct first_failure {
  int error = 0;
  int rank = 0;
  void combine(first_failure const& other) {
    if (other.error != 0 && (error == 0 || other.rank < rank)) *this = other;
  }
};

}  // namespace

std::unique_ptr<service> mpi::serve(serve_function f, std::error_code& error) const {
  error.clear();
  wire::station::options o;
  o.workers = serving_threads;
  auto made = std::make_unique<detail::socket_service>(rank_, size_, std::move(f), o, error);
  first_failure outcome{error ? error.value() : 0, rank_};
  all_reduce(outcome);
  if (outcome.error != 0) {
    error.assign(outcome.error, std::system_category());
    return {};
  }
  wire::address const mine = made->where();
  std::vector<wire::address> everybody(static_cast<std::size_t>(size_));
  all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(everybody)));
  made->meet(std::move(everybody));
  return made;
}

}  // namespace argosy
