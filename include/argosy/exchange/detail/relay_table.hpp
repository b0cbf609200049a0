// The ranks that pass messages on between nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <argosy/exchange/detail/node_windows.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// The first ranks of each node are its relays. The windows of other nodes' aggregators are
// distributed among them.
inline constexpr int most_relays = 8;

// The relays of each node, in memory that the ranks of a node share. The table has one row for each
// node.
class relay_table {
 public:
  relay_table() = default;
  static std::size_t bytes_for(std::int64_t nodes) {
    return sizeof(std::int64_t) + static_cast<std::size_t>(nodes) * sizeof(row);
  }
  // `m` has bytes_for(nodes) zero bytes. Collective over all ranks. `near` is the communicator of
  // the ranks that share `m`.
  template <class World>
  relay_table(World const& world, World const& near, seats const& node, std::int64_t nodes,
              shared_memory m)
      : memory_(std::move(m)), nodes_(nodes) {
    World const leaders = world.split(near.rank() == 0 ? 0 : 1, world.rank());
    if (near.rank() == 0) {
      row mine;
      mine.fill(-1);
      for (std::size_t i = 0; i < std::min(node.ranks.size(), mine.size()); ++i)
        mine[i] = node.ranks[i];
      leaders.all_gather(std::as_bytes(std::span(&mine, 1)),
                         memory_.bytes().subspan(sizeof(std::int64_t)));
      own() = leaders.rank();
    }
    near.barrier();
  }
  std::int64_t nodes() const noexcept { return nodes_; }
  // Returns the relay for a domain on the i-th node behind this one.
  int relay(std::int64_t i, std::size_t domain) const {
    row const& r = rows()[(own() + 1 + i) % nodes_];
    std::size_t n = 0;
    while (n < r.size() && r[n] >= 0) ++n;
    return r[domain % n];
  }
  std::int64_t& own() const {
    return *static_cast<std::int64_t*>(static_cast<void*>(memory_.bytes().data()));
  }

 private:
  using row = std::array<std::int32_t, most_relays>;
  row const* rows() const {
    return static_cast<row const*>(
        static_cast<void const*>(memory_.bytes().data() + sizeof(std::int64_t)));
  }
  shared_memory memory_;
  std::int64_t nodes_ = 0;
};

}  // namespace argosy::detail
