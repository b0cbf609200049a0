// Lists of parts: their sum, their runs, their beginning.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <argosy/handle/handle.hpp>

namespace argosy::detail {

template <class Part>
std::int64_t bytes_of(Part const& p) noexcept {
  return static_cast<std::int64_t>(p.memory.size());
}

template <class Part>
std::int64_t total_bytes(std::span<Part const> parts) noexcept {
  std::int64_t sum = 0;
  for (Part const& p : parts) sum += bytes_of(p);
  return sum;
}

// One more than the largest offset of a byte in the parts; 0 if there is none.
template <class Part>
std::int64_t end_of(std::span<Part const> parts) noexcept {
  std::int64_t end = 0;
  for (Part const& p : parts)
    if (!p.memory.empty() && p.offset + bytes_of(p) > end) end = p.offset + bytes_of(p);
  return end;
}

// The number of stretches of the file: parts that follow one another are one. Each stretch is at least one call.
template <class Part>
std::int64_t count_runs(std::span<Part const> parts) noexcept {
  std::int64_t runs = 0, end = -1;
  for (Part const& p : parts) {
    if (p.memory.empty()) continue;
    runs += p.offset != end;
    end = p.offset + bytes_of(p);
  }
  return runs;
}

// The first `bytes` bytes of the parts.
template <class Part>
std::vector<Part> first_bytes(std::span<Part const> parts, std::int64_t bytes) {
  std::vector<Part> kept;
  for (Part const& p : parts) {
    if (bytes <= 0) break;
    std::int64_t const here = bytes < bytes_of(p) ? bytes : bytes_of(p);
    kept.push_back({p.offset, p.memory.first(static_cast<std::size_t>(here))});
    bytes -= here;
  }
  return kept;
}

// The parts up to the first byte at or beyond file offset `offset`.
template <class Part>
std::vector<Part> parts_below(std::span<Part const> parts, std::int64_t offset) {
  std::vector<Part> kept;
  for (Part const& p : parts) {
    if (p.offset + bytes_of(p) <= offset) {
      kept.push_back(p);
      continue;
    }
    if (p.offset < offset) kept.push_back({p.offset, p.memory.first(static_cast<std::size_t>(offset - p.offset))});
    break;
  }
  return kept;
}

// Transfers part by part, for handles that have calls for one stretch only: f(offset, memory) -> io_result.
template <class Part, class F>
io_result one_by_one(std::span<Part const> parts, F&& f) {
  io_result all;
  for (Part const& p : parts) {
    io_result const one = f(p.offset, p.memory);
    all.bytes += one.bytes;
    all.error = one.error;
    if (one.error || one.bytes < bytes_of(p)) break;
  }
  return all;
}

}  // namespace argosy::detail
