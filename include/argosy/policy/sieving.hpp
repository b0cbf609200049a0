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
  double call_ns = 700;   // one call that reads or writes
  double lock_ns = 1500;  // locking and unlocking a range
  double byte_ns = 0.1;   // a byte between file and memory
  double piece_ns = 6;    // picking one piece out of a buffer
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

  // As much of the stream as lies within one window of the file; a piece that is longer makes windows of its own.
  window next(access const& wanted, std::int64_t position) const {
    std::int64_t const limit = window_bytes(wanted.kind);
    std::int64_t const first = cursor(wanted.file, position).current().offset;
    std::int64_t const reach = first > INT64_MAX - limit ? INT64_MAX : first + limit;
    std::int64_t const end = std::clamp(wanted.file.bytes_before(reach), position + 1, wanted.end());
    window w = window_of(wanted.file, position, end - position);
    if (w.pieces > 1 && wanted.sorted && merge(w, wanted.kind)) w.how = passage::merged;
    return w;
  }
  std::int64_t buffer_for(access const& wanted) const {
    return std::min(window_bytes(wanted.kind), window_of(wanted.file, wanted.position, wanted.bytes).length);
  }
  std::string reason(access const& wanted) const {
    sieve const asked = wanted.kind == access_kind::read ? reads : writes;
    return asked == sieve::automatic ? "each window as one or by pieces, by price of calls against price of holes"
           : asked == sieve::always  ? "windows as one, as the hint asks"
                                     : "windows by pieces, as the hint asks";
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
  std::int64_t window_bytes(access_kind kind) const {
    return std::max<std::int64_t>(1, kind == access_kind::read ? read_window_bytes : write_window_bytes);
  }
};
static_assert(independent_policy<sieving>);

}  // namespace argosy
