// The concept of a collective policy: a small regular value that makes a plan from a summary of all
// ranks' accesses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include <argosy/extend.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/policy/access_histogram.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/policy/detail/window_check.hpp>

namespace argosy {

namespace extend {

// The ranks that opened the file, as a policy sees them.
struct rank_group {
  std::int64_t size = 1;
  std::int64_t nodes = 1;
  std::int64_t block_bytes = 4096;  // block size of the file system
  std::int64_t processors = 0;      // processors that run ranks, on all nodes; 0: one for each rank
  // Ranks that may be aggregators: the first of each node, then the second of each, and so on. If
  // empty, all ranks may, and the ranks of a node are consecutive.
  std::vector<int> eligible = {};

  // Returns the number of ranks that may be chosen, and the i-th of n chosen ranks. They are spread
  // evenly over the nodes.
  constexpr std::int64_t most() const noexcept {
    return eligible.empty() ? size : static_cast<std::int64_t>(eligible.size());
  }
  constexpr int chosen(std::int64_t i, std::int64_t n) const noexcept {
    return eligible.empty() ? static_cast<int>(i * size / n)
                            : eligible[static_cast<std::size_t>(i)];
  }
  // Returns the i-th of the same n ranks in another order: the first of each node, then the second
  // of each, and so on.
  constexpr int dealt(std::int64_t i, std::int64_t n) const noexcept {
    if (!eligible.empty() || nodes <= 1) return chosen(i, n);
    // The first `more` nodes have one more.
    std::int64_t const node = i % nodes, each = n / nodes, more = n % nodes;
    return chosen(node * each + std::min(node, more) + i / nodes, n);
  }
  // Returns the number of ranks that compute at the same time.
  constexpr std::int64_t at_once() const noexcept {
    return processors > 0 && processors < size ? processors : size;
  }
};

}  // namespace extend

namespace detail {

// Returns a hash of the members. It is equal for equal values, and almost never equal otherwise.
// Ranks compare their policies by it.
template <class... Members>
constexpr std::uint64_t key_of(Members const&... members) {
  std::uint64_t key = 1469598103934665603u;
  auto const add = [&](auto const& m) {
    std::uint64_t bits = 0;
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(m)>>)
      bits = std::bit_cast<std::uint64_t>(static_cast<double>(m));
    else
      bits = static_cast<std::uint64_t>(m);
    key = (key ^ bits) * 0x9e3779b97f4a7c15u;
    key ^= key >> 29;
  };
  (add(members), ...);
  return key;
}

}  // namespace detail

namespace extend {

// A policy for all ranks together. Its functions are pure, and it is equal on every rank, including
// its members; the key finds policies that differ. If its plans use the histogram, it has a second
// function plan(kind, all, ranks, histogram).
template <class P>
concept collective_policy =
    std::regular<P> && requires(P const& policy, access_kind kind, access_summary const& all,
                                rank_group const& ranks) {
      { P::name } -> std::convertible_to<std::string_view>;
      { policy.plan(kind, all, ranks) } -> std::same_as<collective_plan>;
      { policy.key() } -> std::same_as<std::uint64_t>;
    };

// A collective policy whose plans use the histogram.
template <class P>
concept balancing_policy =
    collective_policy<P> &&
    requires(P const& policy, access_kind kind, access_summary const& all, rank_group const& ranks,
             detail::access_histogram const& where) {
      { policy.plan(kind, all, ranks, where) } -> std::same_as<collective_plan>;
    };

}  // namespace extend

}  // namespace argosy
