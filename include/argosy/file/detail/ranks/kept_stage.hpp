// The stage of collective calls, which a communicator keeps from one file to the next. Making one
// costs a segment of memory, its page faults and several messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <argosy/exchange/detail/node_stage.hpp>
#include <argosy/exchange/detail/node_windows.hpp>
#include <argosy/world/detail/host.hpp>

namespace argosy::detail {

// Returns the size of the largest stage that is kept. A larger one is given back when its file is
// closed.
inline std::size_t most_kept_bytes() noexcept {
  constexpr std::int64_t most = 256 << 20, part_of_node = 64;
  return static_cast<std::size_t>(std::min(most, host_memory_bytes() / part_of_node));
}

// The size of the stage that a plan needs. It is equal on every rank and every node.
struct stage_size {
  std::int64_t aggregators = 0, window_bytes = 0, mark_words = 0;

  bool holds(stage_size const& other) const {
    return aggregators >= other.aggregators && window_bytes >= other.window_bytes &&
           mark_words >= other.mark_words;
  }
  stage_size with(stage_size const& other) const {
    return {std::max(aggregators, other.aggregators), std::max(window_bytes, other.window_bytes),
            std::max(mark_words, other.mark_words)};
  }
};

struct kept_stage {
  node_stage stage;
  seats ranks;
  stage_size size;
  std::size_t bytes = 0;
  std::uint64_t number = 0;  // different for each stage of a communicator; 0: there is none
};

// Rank 0 numbers the stages of all its communicators.
inline std::uint64_t next_stage_number() noexcept {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

// Whether a stage was made on all ranks, and its number.
struct numbered_outcome {
  std::int32_t failures = 0;
  std::uint64_t number = 0;
  void combine(numbered_outcome const& other) noexcept {
    failures += other.failures;
    number = std::max(number, other.number);
  }
};

// Whether all ranks have the same number, and not 0.
struct same_number {
  std::uint64_t least = 0, most = 0;
  bool is_one() const noexcept { return least == most && least != 0; }
  void combine(same_number const& other) noexcept {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};

}  // namespace argosy::detail
