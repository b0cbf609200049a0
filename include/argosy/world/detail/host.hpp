// The machine that a process runs on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace argosy::detail {

std::string host_name();

// The processors that a process may use. Sets of a node's ranks are united, since each rank may be bound to its own processor.
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

}  // namespace argosy::detail
