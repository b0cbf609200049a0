// Storage: what a file lies on, and what access to it costs there. Handles know it; policies choose
// by it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace argosy {

// The prices of file access, in nanoseconds. The defaults are those of a page cache; see
// docs/develop/prices.md.
struct prices {
  double call_ns = 600;         // one call that reads
  double write_call_ns = 2500;  // one that writes
  double lock_ns = 3500;        // locking and unlocking a range
  double byte_ns = 0.08;        // a byte between file and memory
  double piece_ns = 4;          // picking one piece out of a buffer
  friend bool operator==(prices const&, prices const&) = default;
};

// The prices of moving data between ranks, in nanoseconds.
struct exchange_prices {
  double round_ns = 20000;  // waiting for each other, once a round
  double byte_ns = 0.25;    // a byte into or out of staging memory
  double piece_ns = 3;      // finding its place
  // handing a block of the file from rank to rank: POSIX files have no such thing
  double block_ns = 0;
  // a byte at the servers of the file system, which all ranks share; 0: there are none
  double server_byte_ns = 0;
  // a call at the same servers: their time for one, by the number of servers
  double server_call_ns = 0;
  // `crowd`: slow-down of a rank by itself while all other ranks access the file; prices are those
  // of an idle machine. `write`: cost of a collective write relative to a read (pages are allocated
  // and locked).
  double crowd = 1.75;
  double write = 1.95;
  friend bool operator==(exchange_prices const&, exchange_prices const&) = default;
};

namespace detail {

inline std::string rounded(double n) {
  return std::to_string(static_cast<std::int64_t>(std::min(n, 1e15) + 0.5));
}
inline std::string price_of_call(double ns) {
  return ns < 10'000 ? rounded(ns) + " ns a call" : rounded(ns / 1000) + " us a call";
}

}  // namespace detail

// The defaults are a file of the page cache. Where the numbers are from: docs/develop/prices.md.
struct storage {
  std::string name = "local files";  // for reasons: "by the prices of local files"
  argosy::prices prices = {};
  exchange_prices exchange = {};

  // Several nodes reach it: whether a lock of one keeps out the others is looked at when a file is
  // opened.
  bool over_network = false;
  // And a node does not hear of what others write, except where it looks at the server: at locks,
  // syncs, and in collective calls.
  bool separate_caches = false;
  // But what it writes are the bytes that it was asked to, and no others. Others write whole pages,
  // with what they once read between those bytes: there all writes of several nodes take locks.
  // Only of a handle that has reconcile().
  bool exact_writes = false;
  // A node hears of what others wrote, but nobody can wait for that: what is read under a lock may
  // be old. So nobody merges between nodes.
  bool reads_late = false;
  // Of the file, where its file system tells; 0: it does not.
  std::int64_t stripe_bytes = 0;
  std::int64_t stripe_count = 0;

  // A server somewhere, which every lock goes to, and every write before the lock is given back.
  static storage network() {
    return {"a network file system",
            {.call_ns = 100e3, .write_call_ns = 100e3, .lock_ns = 1e6, .byte_ns = 1},
            {.server_byte_ns = 1, .crowd = 1, .write = 1},
            true,
            true};
  }
  // Blocks that have an owner, and go through its disks to the next.
  static storage gpfs() {
    return {"GPFS",
            {.call_ns = 10e3, .write_call_ns = 10e3, .lock_ns = 90e3, .byte_ns = 10.8},
            {.round_ns = 100e3,
             .byte_ns = 7.5,
             .block_ns = 31e6,
             .server_byte_ns = 0.83,
             .crowd = 1,
             .write = 1}};
  }
  // Returns this storage behind something that makes each call, and each byte, take so many
  // nanoseconds more; its name says so. For handles that slow another one down: their storage()
  // returns that of the handle below, slowed.
  storage slowed(double call_ns, double byte_ns = 0) const {
    storage s = *this;
    s.prices.call_ns += call_ns;
    s.prices.write_call_ns += call_ns;
    s.prices.lock_ns += 2 * call_ns;  // it is given back, too
    s.prices.byte_ns += byte_ns;
    // Ranks crowd the file below. What is added, each waits for by itself.
    double const below = byte_ns > 0 ? prices.byte_ns / s.prices.byte_ns : 1;
    s.exchange.crowd = 1 + (exchange.crowd - 1) * below;
    s.exchange.write = 1 + (exchange.write - 1) * below;
    if (call_ns > 0) s.name += " slowed by " + detail::price_of_call(call_ns);
    if (byte_ns > 0) s.name += " slowed to " + detail::rounded(1e3 / byte_ns) + " MB/s";
    return s;
  }
  friend bool operator==(storage const&, storage const&) = default;
};

}  // namespace argosy
