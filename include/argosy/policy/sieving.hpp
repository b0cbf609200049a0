// sieving: windows of the file are read whole, and written by read-modify-write under a lock, where that costs less than
// a call for each piece. Decided for every window by its holes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <argosy/policy/policy.hpp>

namespace argosy {

// What file access costs, in nanoseconds. The defaults are those of a page cache; see docs/develop/prices.md.
struct prices {
  double call_ns = 700;         // one call that reads or writes
  double lock_ns = 1500;        // locking and unlocking a range
  double byte_ns = 0.1;         // a byte between file and memory
  double piece_ns = 6;          // picking one piece out of a buffer
  friend bool operator==(prices const&, prices const&) = default;
};

enum class sieve { automatic, always, never };

struct sieving {
  static constexpr std::string_view name = "sieving";
  std::int64_t read_window_bytes = 4 << 20;
  std::int64_t write_window_bytes = 512 << 10;
  sieve reads = sieve::automatic;
  sieve writes = sieve::automatic;
  argosy::prices prices = {};

  argosy::plan plan(access const& wanted) const {
    bool const reading = wanted.kind == access_kind::read;
    std::int64_t const limit = std::max<std::int64_t>(1, reading ? read_window_bytes : write_window_bytes);
    argosy::plan p{std::string(name), "", wanted.kind, {}, limit};
    std::int64_t merged = 0, apart = 0;
    for (std::int64_t at = wanted.position; at < wanted.end();) {
      window w = next_window(wanted, at, limit);
      if (w.pieces > 1 && wanted.sorted && merge(w, wanted.kind)) w.how = passage::merged;
      ++(w.how == passage::merged ? merged : apart);
      p.windows.push_back(w);
      at += w.wanted;
    }
    sieve const asked = reading ? reads : writes;
    p.reason = std::to_string(merged) + " windows merged, " + std::to_string(apart) + " by pieces: " +
               (asked == sieve::automatic ? "by price of calls against price of holes" : "as the hint asks");
    return p;
  }
  friend bool operator==(sieving const&, sieving const&) = default;

  // Is the window cheaper as one?
  bool merge(window const& w, access_kind kind) const {
    sieve const asked = kind == access_kind::read ? reads : writes;
    if (asked != sieve::automatic) return asked == sieve::always;
    auto const pieces = static_cast<double>(w.pieces), length = static_cast<double>(w.length);
    double const by_pieces = pieces * prices.call_ns + static_cast<double>(w.wanted) * prices.byte_ns;
    double const passes = kind == access_kind::read ? 1 : 2;
    double const as_one = passes * (prices.call_ns + length * prices.byte_ns) + pieces * prices.piece_ns +
                          static_cast<double>(w.wanted) * prices.byte_ns +
                          (kind == access_kind::write && w.holes() > 0 ? prices.lock_ns : 0);
    return as_one < by_pieces;
  }

 private:
  // As much of the stream as lies within `limit` bytes of the file; a piece that is longer makes windows of its own.
  static window next_window(access const& wanted, std::int64_t at, std::int64_t limit) {
    std::int64_t const first = cursor(wanted.file, at).current().offset;
    std::int64_t const reach = first > INT64_MAX - limit ? INT64_MAX : first + limit;
    std::int64_t const end = std::clamp(wanted.file.bytes_before(reach), at + 1, wanted.end());
    return window_of(wanted.file, at, end - at);
  }
};
static_assert(independent_policy<sieving>);

}  // namespace argosy
