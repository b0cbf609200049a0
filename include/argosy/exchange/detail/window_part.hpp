// The part of one rank's stream that lies in a window of the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/detail/equal_windows.hpp>
#include <argosy/plan/domain_list.hpp>

namespace argosy::detail {

// Bytes of the file from `low` to `high`. All of them if `dense`; `length` bytes every `stride`
// bytes if those are given; otherwise marks say which. None if low == high.
struct file_share {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t dense = 0;
  std::int64_t length = 0, stride = 0;
  constexpr bool empty() const noexcept { return low == high; }
  constexpr bool marked() const noexcept { return dense == 0 && length == 0; }
  // Extends this share to the hull of both.
  constexpr void join(file_share const& other) noexcept {
    if (other.empty()) return;
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

struct window_part {
  std::int64_t from = 0, to = 0;  // in the stream
  file_share file;
  constexpr bool empty() const noexcept { return from == to; }
  constexpr std::int64_t bytes() const noexcept { return to - from; }
};

// Bytes [from, to) of the stream of a layout that never decreases: the bytes of an access.
struct stream_range {
  layout const* file = nullptr;
  std::int64_t from = 0, to = 0;

  // Returns the position in the stream of the first byte at or after `offset` of the file.
  // O(depth).
  std::int64_t before(std::int64_t offset) const {
    return from == to ? from : std::clamp(file->bytes_before(offset), from, to);
  }
  // Returns the number of pieces. The range must not be empty. O(depth).
  std::int64_t pieces() const { return file->piece_at(to - 1) - file->piece_at(from) + 1; }
  window_part within(file_window const& w) const {
    window_part p{before(w.begin), before(w.end), {}};
    if (p.empty()) return p;
    cursor const first(*file, p.from);
    p.file.low = first.current().offset;
    // Usually the part is one piece, or several at one distance.
    piece_run const r = first.current_run();
    if (r.length >= p.bytes()) {
      p.file.high = p.file.low + p.bytes();
    } else if (r.count >= p.bytes() / r.length && p.bytes() % r.length == 0) {
      p.file.high = r.offset + (p.bytes() / r.length - 1) * r.stride + r.length;
      p.file.length = r.length;
      p.file.stride = r.stride;
    } else {
      p.file.high = cursor(*file, p.to - 1).current().offset + 1;
    }
    p.file.dense = p.file.high - p.file.low == p.bytes() ? 1 : 0;
    return p;
  }
};

// Calls f(round, window, part) for each window of the domain in which the stream has bytes, from
// `round` on, until f returns false. O(depth) for each such window, and for each stripe of another
// aggregator in which the stream has bytes.
template <class F>
void for_each_part(collective_plan const& plan, file_domain const& d, stream_range const& mine,
                   std::int64_t round, F&& f) {
  for (std::int64_t const rounds = plan.rounds_of(d); round < rounds; ++round) {
    file_window const w = plan.window_of(d, round);
    window_part const part = mine.within(w);
    if (!part.empty()) {
      if (!f(round, w, part)) return;
    } else if (part.from == mine.to) {
      return;
    } else {
      std::int64_t const next = cursor(*mine.file, part.from).current().offset;
      round = std::max(round, plan.round_at(d, std::max(next, d.begin)) - 1);
    }
  }
}

// Calls f(index, domain, part) for each domain in which the stream has bytes, in the order of the
// file. `part` is the stream from the begin of the domain to its end. O(depth) for each such
// domain. For domains in a list f is called for all of them, also without bytes: then `part` is
// empty, or lies in stripes of other domains.
template <class F>
void for_each_domain(collective_plan const& plan, stream_range const& mine, F&& f) {
  equal_domains const* const equal = plan.domains.equal();
  for (std::size_t a = 0; !equal && a < plan.domains.size(); ++a) {
    file_domain const d = plan.domains[a];
    f(a, d, stream_range{mine.file, mine.before(d.begin), mine.before(d.end)});
  }
  for (std::int64_t from = mine.from; equal && from < mine.to;) {
    std::int64_t const first = cursor(*mine.file, from).current().offset;
    auto const a = static_cast<std::size_t>(domain_at(*equal, first));
    file_domain const d = plan.domains[a];
    stream_range const part{mine.file, from, mine.before(d.end)};
    f(a, d, part);
    from = part.to;
  }
}

}  // namespace argosy::detail
