// An MPI world on one machine that claims several nodes, each with a few ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/world/communicator.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy::test {

using namespace extend;

class nodes_world : public mpi {
 public:
  // The nodes. If `dealt`, the ranks of a node are `nodes` apart, otherwise neighbours. If `shares`
  // is false, share() fails on this rank, as if its node could share no memory.
  struct shape {
    int per_node = 1;
    bool dealt = false;
    bool shares = true;
  };
  nodes_world(mpi inner, shape s) : mpi(std::move(inner)), shape_(s) {}

  // Measured prices are not kept. On one machine all messages cost as much as memory of a node, and
  // the choices of a test must not depend on the machine's load.
  std::optional<detail::message_prices> kept_prices() const = delete;

  nodes_world duplicate() const { return {mpi::duplicate(), shape_}; }
  nodes_world split(int colour, int key) const { return {mpi::split(colour, key), shape_}; }
  nodes_world node() const { return {mpi::split(node_number(), rank()), shape_}; }
  std::string host_name() const { return "node" + std::to_string(node_number()); }
  shared_memory share(std::size_t bytes, std::error_code& error) const {
    shared_memory m = mpi::share(bytes, error);
    if (!shape_.shares) {
      error = std::make_error_code(std::errc::no_space_on_device);
      return {};
    }
    return m;
  }
  using mpi::share;
  std::unique_ptr<service> serve(serve_function f, std::error_code& error) const {
    return mpi::serve(
        [f = std::move(f)](int from, std::span<std::byte const> asked) {
          if (until_loss >= 0 && until_loss-- == 0) throw std::bad_alloc();
          return f(from, asked);
        },
        error);
  }
  // Number of requests to this process that still succeed before one is lost, as if there were no
  // memory for it. Negative: none is lost.
  static inline std::atomic<int> until_loss{-1};

 private:
  int node_number() const {
    int const nodes = (size() + shape_.per_node - 1) / shape_.per_node;
    return shape_.dealt ? rank() % nodes : rank() / shape_.per_node;
  }
  shape shape_;
};

static_assert(argosy::extend::node_waiting<nodes_world>);

}  // namespace argosy::test
