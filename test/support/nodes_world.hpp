// MPI on one machine, as if every few ranks had a node of their own.
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

class nodes_world : public mpi {
 public:
  // Ranks of one node are neighbours, or `nodes` apart. `shares`: a node can share memory, asked of
  // each of its ranks.
  struct shape {
    int per_node = 1;
    bool dealt = false;
    bool shares = true;
  };
  nodes_world(mpi inner, shape s) : mpi(std::move(inner)), shape_(s) {}

  // On one machine all messages cost what the memory of a node costs, and what a test chooses must
  // not depend on its load.
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
  // One request to this process is lost, as if there were no memory for it, after so many more that
  // are not. Negative: none.
  static inline std::atomic<int> until_loss{-1};

 private:
  int node_number() const {
    int const nodes = (size() + shape_.per_node - 1) / shape_.per_node;
    return shape_.dealt ? rank() % nodes : rank() / shape_.per_node;
  }
  shape shape_;
};

static_assert(argosy::node_waiting<nodes_world>);

}  // namespace argosy::test
