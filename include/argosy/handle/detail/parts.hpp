// Lists of parts: their sum, their runs, their first bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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

// Returns one more than the largest offset of a byte in the parts; 0 if there is none.
template <class Part>
std::int64_t end_of(std::span<Part const> parts) noexcept {
  std::int64_t end = 0;
  for (Part const& p : parts)
    if (!p.memory.empty() && p.offset + bytes_of(p) > end) end = p.offset + bytes_of(p);
  return end;
}

// Returns the number of runs, which are contiguous ranges of the file: adjacent parts are one run.
// Each run is at least one call.
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

// Calls f(offset, bytes) for each run, until it returns false.
template <class Part, class F>
void for_each_run(std::span<Part const> parts, F&& f) {
  std::int64_t offset = 0, bytes = 0;
  for (Part const& p : parts) {
    if (p.memory.empty()) continue;
    if (bytes > 0 && p.offset == offset + bytes) {
      bytes += bytes_of(p);
      continue;
    }
    if (bytes > 0 && !f(offset, bytes)) return;
    offset = p.offset;
    bytes = bytes_of(p);
  }
  if (bytes > 0) f(offset, bytes);
}

inline std::string run_text(std::int64_t offset, std::int64_t bytes) {
  return std::to_string(offset) + "+" + std::to_string(bytes);
}

// Returns "0+8,100+8": offsets and lengths of the runs, only the first ones if there are many.
template <class Part>
std::string run_list(std::span<Part const> parts) {
  constexpr int most = 32;
  std::string text;
  int runs = 0;
  for_each_run(parts, [&](std::int64_t offset, std::int64_t bytes) {
    if (++runs > most) {
      text += ",...";
      return false;
    }
    text += (runs == 1 ? "" : ",") + run_text(offset, bytes);
    return true;
  });
  return text;
}

// Returns the run that contains byte `position` of the parts.
template <class Part>
std::string run_at(std::span<Part const> parts, std::int64_t position) {
  std::string text;
  for_each_run(parts, [&](std::int64_t offset, std::int64_t bytes) {
    text = run_text(offset, bytes);
    position -= bytes;
    return position >= 0;
  });
  return text;
}

// Returns the first `bytes` bytes of the parts.
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

// Returns the parts up to the first byte at or beyond file offset `offset`.
template <class Part>
std::vector<Part> parts_below(std::span<Part const> parts, std::int64_t offset) {
  std::vector<Part> kept;
  for (Part const& p : parts) {
    if (p.offset + bytes_of(p) <= offset) {
      kept.push_back(p);
      continue;
    }
    if (p.offset < offset)
      kept.push_back({p.offset, p.memory.first(static_cast<std::size_t>(offset - p.offset))});
    break;
  }
  return kept;
}

// Transfers part by part, for handles with calls for one range only: f(offset, memory) returns an
// io_result.
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
