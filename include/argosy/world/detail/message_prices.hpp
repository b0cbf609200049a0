// The prices of messages between the ranks of a communicator. They are measured, because the memory
// of a node, a fast network and a slow one differ by factors of hundreds.
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
  double round_ns = 0;  // a round in which ranks wait for each other
  double byte_ns = 0;   // a byte that is sent to another rank
  // Takes the prices of the slower rank.
  void combine(message_prices const& other) {
    round_ns = std::max(round_ns, other.round_ns);
    byte_ns = std::max(byte_ns, other.byte_ns);
  }
  friend bool operator==(message_prices const&, message_prices const&) = default;
};

// A world whose messages are worth measuring, because its ranks are real. It stores the prices for
// itself and its duplicates.
template <class C>
concept priced = requires(C const& c, message_prices p) {
  { c.kept_prices() } -> std::same_as<std::optional<message_prices>>;
  c.keep_prices(p);
};

// Measures a round and a message `times` times each, after one that does not count, and returns the
// medians of the slowest rank. Collective. Each rank sends to the rank that is half of all ranks
// away. Returns nothing, on all ranks, if one of them has no memory for the messages.
std::optional<message_prices> measure_messages(mpi const& world, int times);

}  // namespace detail
}  // namespace argosy
