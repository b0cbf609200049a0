// The stage of a node in collective calls: staging windows, marks and counters in memory that its
// ranks share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <argosy/exchange/detail/window_part.hpp>
#include <argosy/layout/detail/marks.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// Each aggregator has two windows: while one is filled, the other is written to the file. The stage
// is kept for later calls. Counters only grow, so no rank has to reset a value that others still
// read.
class node_stage {
 public:
  struct shape {
    std::int64_t ranks = 0;
    std::int64_t aggregators = 0;
    std::int64_t window_bytes = 0;
    std::int64_t mark_words = 0;  // words for one window of one rank
  };

  // Each counter has a cache line of its own, since different ranks wait for them. There are two of
  // some, because early ranks already count for the other window.
  struct counters {
    // ranks that have filled the window, or marked the bytes that they want from it
    alignas(64) std::uint32_t arrived[2];
    // windows that were written, or whose owner knows which bytes are wanted
    alignas(64) std::uint32_t released;
    alignas(64) std::uint32_t filled;      // windows that were read
    alignas(64) std::uint32_t emptied[2];  // ranks that need nothing more of the window
    // file offset behind the last byte that was read into the window
    alignas(64) std::int64_t end[2];
    std::int64_t failed_round;  // the first failed round in this call
  };

  node_stage() = default;
  // `m` must have bytes_for(s) zero bytes.
  node_stage(shared_memory m, shape s)
      : shape_(s), memory_(std::move(m)), rounds_(static_cast<std::size_t>(s.aggregators)) {}

  static std::size_t bytes_for(shape const& s) {
    return static_cast<std::size_t>(
        s.aggregators *
        (up(sizeof(counters)) +
         2 * (s.ranks * (up(sizeof(file_share)) + up(8 * s.mark_words)) + up(s.window_bytes))));
  }

  counters& of(std::size_t aggregator) const { return *at<counters>(aggregator, 0); }
  file_share& share_of(std::size_t aggregator, std::uint64_t round, std::int64_t rank) const {
    return *at<file_share>(
        aggregator,
        up(sizeof(counters)) +
            (static_cast<std::int64_t>(round & 1) * shape_.ranks + rank) * up(sizeof(file_share)));
  }
  std::span<std::uint64_t> marks_of(std::size_t aggregator, std::uint64_t round,
                                    std::int64_t rank) const {
    std::int64_t const before = up(sizeof(counters)) + 2 * shape_.ranks * up(sizeof(file_share));
    return {at<std::uint64_t>(
                aggregator, before + (static_cast<std::int64_t>(round & 1) * shape_.ranks + rank) *
                                         up(8 * shape_.mark_words)),
            static_cast<std::size_t>(shape_.mark_words)};
  }
  std::byte* window(std::size_t aggregator, std::uint64_t round) const {
    std::int64_t const before =
        up(sizeof(counters)) +
        2 * shape_.ranks * (up(sizeof(file_share)) + up(8 * shape_.mark_words));
    return at<std::byte>(aggregator,
                         before + static_cast<std::int64_t>(round & 1) * up(shape_.window_bytes));
  }

  // The number of rounds before this call, equal on every rank. Rounds are numbered across calls.
  // Even and odd rounds have a window each.
  std::uint64_t& rounds_before(std::size_t aggregator) { return rounds_[aggregator]; }

 private:
  static constexpr std::int64_t up(std::int64_t bytes) noexcept { return (bytes + 63) / 64 * 64; }
  static constexpr std::int64_t up(std::size_t bytes) noexcept {
    return up(static_cast<std::int64_t>(bytes));
  }
  template <class T>
  T* at(std::size_t aggregator, std::int64_t offset) const {
    auto const each = static_cast<std::int64_t>(
        bytes_for({shape_.ranks, 1, shape_.window_bytes, shape_.mark_words}));
    return static_cast<T*>(static_cast<void*>(
        memory_.bytes().data() + static_cast<std::int64_t>(aggregator) * each + offset));
  }

  shape shape_;
  shared_memory memory_;
  std::vector<std::uint64_t> rounds_;
};

}  // namespace argosy::detail
