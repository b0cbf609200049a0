// Accesses a file step by step, with hints to the file system about the next ranges.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/exchange/detail/guided_prefetch.hpp>
#include <argosy/exchange/detail/run_pattern.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/plan/report.hpp>

namespace argosy::detail {

// A list with one range for each block of the file that is accessed: from the first to the last
// accessed byte in it.
class block_ranges {
 public:
  block_ranges(std::int64_t block_bytes, bool is_write)
      : block_bytes_(std::clamp<std::int64_t>(block_bytes, 1, std::numeric_limits<int>::max())),
        is_write_(is_write) {}

  // Adds bytes [low, high) of the file, which must not lie before earlier ones.
  void add(std::int64_t low, std::int64_t high) {
    while (low < high) {
      std::int64_t const block = low / block_bytes_, begin = block * block_bytes_;
      std::int64_t const end = high - begin < block_bytes_ ? high : begin + block_bytes_;
      if (ranges_.empty() || ranges_.back().blockNumber != block)
        ranges_.push_back({block, static_cast<int>(low - begin), 0, is_write_ ? 1 : 0, {}});
      ranges_.back().length = static_cast<int>(end - begin) - ranges_.back().start;
      low = end;
    }
  }
  // Adds bytes [from, to) of the stream of a layout that never decreases. Returns the index of
  // their first range. O(depth) for each block.
  std::int64_t add(layout const& form, std::int64_t from, std::int64_t to) {
    auto first = static_cast<std::int64_t>(ranges_.size());
    for (bool begins = true; from < to; begins = false) {
      std::int64_t const low = cursor(form, from).current().offset,
                         begin = low / block_bytes_ * block_bytes_;
      std::int64_t const end =
          begin > std::numeric_limits<std::int64_t>::max() - block_bytes_
              ? to
              : std::clamp(form.bytes_before(begin + block_bytes_), from + 1, to);
      if (begins && first > 0 && ranges_.back().blockNumber == low / block_bytes_) --first;
      add(low, cursor(form, end - 1).current().offset + 1);
      from = end;
    }
    return first;
  }

  std::span<guided_prefetch::range const> get() const { return ranges_; }
  std::int64_t end_of(std::int64_t i) const {
    return (ranges_[static_cast<std::size_t>(i)].blockNumber + 1) * block_bytes_;
  }

 private:
  std::int64_t block_bytes_;
  bool is_write_;
  std::vector<guided_prefetch::range> ranges_;
};

// Gives a hint. If the file system refuses it or returns an invalid count, no more hints are given.
// The transfer is not affected.
template <handle H>
void give_hint(H& file, guided_prefetch& steps, report& done) {
  if (!steps.has_hint()) return;
  struct {
    argosy::gpfs::gpfsFcntlHeader_t header{sizeof header + sizeof ranges};
    argosy::gpfs::gpfsMultipleAccessRange_t ranges;
  } argument;
  argument.ranges = steps.hint();
  int const asked = argument.ranges.accRangeCnt;
  std::error_code const error = fcntl_of(file, std::as_writable_bytes(std::span(&argument, 1)));
  int const accepted = argument.ranges.accRangeCnt;
  if (error || accepted < 0 || accepted > asked) return steps.refused();
  steps.answered(accepted);
  done.hinted_ranges += accepted;
}

// Calls access(from, to), which accesses at least these ranges and returns how far it came. If that
// is less than `to`, the transfer ends.
template <handle H, class Access>
void guided_access(H& file, std::span<guided_prefetch::range const> ranges, std::int64_t most,
                   report& done, Access&& access) {
  guided_prefetch steps(ranges, most);
  auto const release = [&] {
    steps.end();
    detail::give_hint(file, steps, done);
  };
  try {
    for (;;) {
      detail::give_hint(file, steps, done);
      std::int64_t const from = steps.next(), n = steps.step();
      if (n == 0) break;
      std::int64_t const came = access(from, from + n);
      if (came < from + n) break;
      steps.accessed(came - from);
    }
  } catch (...) {
    release();
    throw;
  }
  release();
}

// Transfers like file.read(parts) or file.write(parts). If the parts touch several blocks without a
// pattern, and the file system accepts hints, it accesses at most `most` blocks at a time. Parts
// must ascend. Counts the calls.
template <class Part, handle H>
io_result guided_transfer(H& file, std::span<Part const> parts, std::int64_t most, report& done) {
  constexpr bool reading = std::same_as<Part, read_part>;
  auto const transfer = [&](std::span<Part const> some) {
    (reading ? done.read_calls : done.write_calls) += static_cast<std::int64_t>(some.size());
    if constexpr (reading)
      return file.read(some);
    else
      return file.write(some);
  };
  if (most <= 0 || parts.size() < 2 || !takes_hints(file)) return transfer(parts);
  block_ranges ranges(file.block_bytes(), !reading);
  run_pattern pattern;
  pattern.window(-1, std::numeric_limits<std::int64_t>::max());
  for (Part const& p : parts) {
    auto const bytes = static_cast<std::int64_t>(p.memory.size());
    pattern.piece(p.offset, bytes);
    ranges.add(p.offset, p.offset + bytes);
  }
  if (pattern.regular() || ranges.get().size() < 2) return transfer(parts);

  io_result all;
  std::vector<Part> some;
  std::size_t next = 0, within = 0;  // `within`: bytes of part `next` that were moved
  guided_access(file, ranges.get(), most, done, [&](std::int64_t from, std::int64_t to) {
    some.clear();
    std::int64_t wanted = 0;
    for (std::int64_t const end = ranges.end_of(to - 1); next < parts.size();) {
      Part const& p = parts[next];
      std::int64_t const at = p.offset + static_cast<std::int64_t>(within);
      if (at >= end) break;
      std::size_t const left = p.memory.size() - within;
      auto const here = std::min(left, static_cast<std::size_t>(end - at));
      some.push_back({at, p.memory.subspan(within, here)});
      wanted += static_cast<std::int64_t>(here);
      within = here < left ? within + here : 0;
      if (here < left) break;
      ++next;
    }
    io_result const moved = transfer(some);
    all.bytes += moved.bytes;
    all.error = moved.error;
    return moved.error || moved.bytes < wanted ? from : to;
  });
  return all;
}

}  // namespace argosy::detail
