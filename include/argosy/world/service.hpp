// Answers requests of other ranks while this rank computes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/extend.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/parcel.hpp>

namespace argosy::extend {

// Receives the rank that sent a request, and the request. Returns the answer. Several requests may
// run at a time: on threads that do not call MPI, or in coroutines in a world without threads. If
// the function throws, the requesting rank gets errc::io.
using serve_function =
    std::function<std::vector<std::byte>(int from, std::span<std::byte const> request)>;

struct service_answer {
  // No error if there is an answer. Otherwise classify(error) returns rank_failed if the rank was
  // not reached or its service has ended, and io if its function threw. It returns no_memory or
  // too_many_files if the calling rank could not send the request.
  std::error_code error;
  std::vector<std::byte> content;
};

// One rank's part of a service. The destructor is local. It answers requests that have arrived, and
// waits for no other rank. A request to a rank whose part is destroyed returns an error and does
// not hang.
class service {
 public:
  service() = default;
  service(service const&) = delete;
  service& operator=(service const&) = delete;
  virtual ~service() = default;

  // Sends requests to several ranks (also to this one) at the same time, and waits for all answers.
  // Returns them in the order of the requests. Local. Requests to one rank may be answered at the
  // same time, too. Several threads may call it at a time.
  virtual std::vector<service_answer> call(std::vector<parcel> const& requests) = 0;
};

// A world that offers services. `serve` is collective, and fails on all ranks or on none.
template <class C>
concept serving = ranked<C> && requires(C const& c, serve_function f, std::error_code& error) {
  { c.serve(f, error) } -> std::same_as<std::unique_ptr<service>>;
};

}  // namespace argosy::extend
