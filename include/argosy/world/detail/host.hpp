// The machine that a process runs on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace argosy::detail {

std::string host_name();

// Returns the memory of this machine, or 0 if the system does not say.
std::int64_t host_memory_bytes() noexcept;

// The processors that a process may use. The sets of a node's ranks are united, because each rank
// may be bound to a processor of its own.
struct processor_set {
  std::array<std::uint64_t, 16> bits = {};
  void combine(processor_set const& other) {
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] |= other.bits[i];
  }
  std::int64_t count() const {
    std::int64_t n = 0;
    for (std::uint64_t const b : bits) n += std::popcount(b);
    return n;
  }
  static processor_set of_this_process();
};

// Returns how many processors the ranks of a node share, at most one for each. Collective. Worlds
// whose ranks share processors have `processors()`. For other worlds this is the number of ranks.
template <class World>
std::int64_t processors_for(World const& near) {
  if constexpr (requires { near.processors(); }) {
    processor_set all = near.processors();
    near.all_reduce(all);
    return std::min<std::int64_t>(near.size(), all.count());
  } else {
    return near.size();
  }
}

// Returns the sum of processors_for() over all nodes. Collective. If it is less than the number of
// ranks, some ranks wait for a processor, and measured times are not reliable.
template <class World>
std::int64_t processors_of_all(World const& world) {
  struct number {
    std::int64_t sum;
    void combine(number const& other) { sum += other.sum; }
  } all{0};
  World const near = world.node();
  std::int64_t const here = processors_for(near);
  if (near.rank() == 0) all.sum = here;
  world.all_reduce(all);
  return all.sum;
}

}  // namespace argosy::detail
