// What messages between the ranks of a communicator cost: measured, as it differs by factors of
// hundreds between the memory of a node, a fast network and a slow one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>

namespace argosy {

class mpi;

namespace detail {

// In nanoseconds.
struct message_prices {
  double round_ns = 0;  // ranks that wait for each other
  double byte_ns = 0;   // a byte on its way to another rank
  // Of two ranks, that of the slower one.
  void combine(message_prices const& other) {
    round_ns = std::max(round_ns, other.round_ns);
    byte_ns = std::max(byte_ns, other.byte_ns);
  }
  friend bool operator==(message_prices const&, message_prices const&) = default;
};

// A world of which they are worth measuring: real ranks. It keeps them, for itself and its
// duplicates.
template <class C>
concept priced = requires(C const& c, message_prices p) {
  { c.kept_prices() } -> std::same_as<std::optional<message_prices>>;
  c.keep_prices(p);
};

// Collective: each `times` times, after once that does not count; medians, of the slowest rank.
// Bytes go to the rank half of all ranks away. Empty on all ranks if one of them has no memory for
// the messages.
std::optional<message_prices> measure_messages(mpi const& world, int times);

}  // namespace detail
}  // namespace argosy
