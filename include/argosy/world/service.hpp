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

// Gets the rank that asks and what it says; its result is the answer. Several requests may be under way at a time: on threads
// that make no call of MPI, or beside the rank in a world that has no threads. What it throws is errc::io for who asked.
using serve_function = std::function<std::vector<std::byte>(int from, std::span<std::byte const> request)>;

struct service_answer {
  std::error_code error;  // errc::rank_failed: it cannot be reached, or has ended its service; errc::io: it threw
  std::vector<std::byte> content;
};

// One rank's part of a service. Its end (destructor) is local: it answers what has come, and waits for no other rank; who asks
// it afterwards gets an error, never a hang.
class service {
 public:
  service() = default;
  service(service const&) = delete;
  service& operator=(service const&) = delete;
  virtual ~service() = default;

  // Asks several ranks, this one may be among them, at the same time and waits for all answers; in the order of the requests.
  // Requests to one rank may be answered at the same time, too. Any thread may call, several at a time.
  virtual std::vector<service_answer> call(std::vector<parcel> const& requests) = 0;
};

// A world that offers it. Collective; fails on all ranks or on none.
template <class C>
concept serving = ranked<C> && requires(C const& c, serve_function f, std::error_code& error) {
  { c.serve(f, error) } -> std::same_as<std::unique_ptr<service>>;
};

}  // namespace argosy
