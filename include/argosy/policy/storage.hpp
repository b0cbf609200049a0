// Storage: the place of a file, and the cost of access to it. Handles report it, and policies
// choose by it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <argosy/extend.hpp>

namespace argosy {

namespace extend {

// The prices of file access, in nanoseconds. The defaults are those of a page cache; see
// docs/develop/prices.md.
struct prices {
  double call_ns = 600;         // one call that reads
  double write_call_ns = 2500;  // one call that writes
  double lock_ns = 3500;        // locking and unlocking a range
  double byte_ns = 0.08;        // a byte between file and memory
  double piece_ns = 4;          // copying one piece out of a buffer
  friend constexpr bool operator==(prices const&, prices const&) = default;
};

// The prices of moving data between ranks, in nanoseconds.
struct exchange_prices {
  double round_ns = 20000;  // one wait for all ranks; one per round
  double byte_ns = 0.25;    // a byte into or out of staging memory
  double piece_ns = 3;      // finding the place of a piece
  // Passing a block of the file from rank to rank. POSIX files have no such cost.
  double block_ns = 0;
  // A byte at the servers of the file system, which all ranks share. 0 without servers.
  double server_byte_ns = 0;
  // A call at the same servers: their time for one call, divided by the number of servers.
  double server_call_ns = 0;
  // The two factors of a rank's time. Separate access is slower by `crowd` while all other ranks
  // access the file, because prices are those of an idle machine. A collective write costs `write`
  // times a read, because pages are allocated and locked.
  double crowd = 1.75;
  double write = 1.95;
  // A call of separate access that writes while other ranks write the file, apart from the first 16
  // of each rank. The calls wait for the lock of the file in the kernel, one after the other.
  double crowd_call_ns = 0;
  friend constexpr bool operator==(exchange_prices const&, exchange_prices const&) = default;
};

}  // namespace extend

namespace detail {

inline std::string rounded(double n) {
  return std::to_string(static_cast<std::int64_t>(std::min(n, 1e15) + 0.5));
}
inline std::string price_of_call(double ns) {
  return ns < 10'000 ? rounded(ns) + " ns a call" : rounded(ns / 1000) + " us a call";
}

}  // namespace detail

namespace extend {

// The properties and prices of the place of a file. The defaults are those of a file in the page
// cache. docs/develop/prices.md says how the numbers were measured.
struct storage {
  std::string name = "local files";  // for reasons: "by the prices of local files"
  argosy::extend::prices prices = {};
  exchange_prices exchange = {};

  // True if several nodes reach the file. `open` then checks whether a lock of one node excludes
  // the others.
  bool over_network = false;
  // True if, in addition, a node does not see the writes of other nodes until it asks the server.
  // It asks at locks, at syncs and in collective calls.
  bool separate_caches = false;
  // True if, in addition, a node writes exactly the bytes that it was asked to write. Other clients
  // write whole pages, with stale bytes between. There, all writes of several nodes take locks.
  // Only for a handle that has reconcile().
  bool exact_writes = false;
  // True if a node sees the writes of other nodes, but cannot wait for them. Bytes that are read
  // under a lock may then be stale, so ranks on different nodes do not merge.
  bool reads_late = false;
  // The stripes of the file, if its file system reports them; otherwise 0.
  std::int64_t stripe_bytes = 0;
  std::int64_t stripe_count = 0;

  // Returns the storage of a file on a server. Every lock is a message to the server, and every
  // write reaches it before the lock is released.
  static storage network() {
    return {"a network file system",
            {.call_ns = 100e3, .write_call_ns = 100e3, .lock_ns = 1e6, .byte_ns = 1},
            {.server_byte_ns = 1, .crowd = 1, .write = 1},
            true,
            true};
  }
  // Returns the storage of a file in blocks. Each block has an owner, and is written to disk before
  // the next owner has it.
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
  // Returns this storage behind a layer that makes each call, and each byte, take so many
  // nanoseconds more; its name says so. For handles that slow another one down: their storage()
  // returns that of the handle inside, slowed.
  storage slowed(double call_ns, double byte_ns = 0) const {
    storage s = *this;
    s.prices.call_ns += call_ns;
    s.prices.write_call_ns += call_ns;
    s.prices.lock_ns += 2 * call_ns;  // the unlock is a call, too
    s.prices.byte_ns += byte_ns;
    // Ranks crowd only the file itself. Each rank waits for the added time by itself.
    double const below = byte_ns > 0 ? prices.byte_ns / s.prices.byte_ns : 1;
    s.exchange.crowd = 1 + (exchange.crowd - 1) * below;
    s.exchange.write = 1 + (exchange.write - 1) * below;
    if (call_ns > 0) s.name += " slowed by " + detail::price_of_call(call_ns);
    if (byte_ns > 0) s.name += " slowed to " + detail::rounded(1e3 / byte_ns) + " MB/s";
    return s;
  }
  friend bool operator==(storage const&, storage const&) = default;
};

}  // namespace extend

}  // namespace argosy
