// Answers other ranks while this rank computes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/world/communicator.hpp>
#include <argosy/world/parcel.hpp>

namespace argosy {

// Gets the asking rank and its request, and returns the answer. Several requests may run at a time:
// on threads that make no MPI calls, or beside the rank in a world without threads. If it throws,
// the asking rank gets errc::io.
using serve_function =
    std::function<std::vector<std::byte>(int from, std::span<std::byte const> request)>;

struct service_answer {
  // errc::rank_failed: not reached, or its service has ended; errc::io: its function threw
  std::error_code error;
  std::vector<std::byte> content;
};

// One rank's part of a service. Its destructor is local: it answers requests that have arrived, and
// waits for no other rank; asking it afterwards gives an error, never a hang.
class service {
 public:
  service() = default;
  service(service const&) = delete;
  service& operator=(service const&) = delete;
  virtual ~service() = default;

  // Asks several ranks (also this one) at the same time and waits for all answers, which are in the
  // order of the requests. Requests to one rank may be answered at the same time, too. Any thread
  // may call, several at a time.
  virtual std::vector<service_answer> call(std::vector<parcel> const& requests) = 0;
};

// A world that offers services. `serve` is collective; it fails on all ranks or on none.
template <class C>
concept serving = ranked<C> && requires(C const& c, serve_function f, std::error_code& error) {
  { c.serve(f, error) } -> std::same_as<std::unique_ptr<service>>;
};

}  // namespace argosy
