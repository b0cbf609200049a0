// The faults inside a simulated GPFS: servers that fail or are slow, and messages that are late.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::lab::gpfs {

// Block reads or writes that fail on a server. The server's calls of this kind are counted from 1.
// If the server is -1, every server has this fault, and counts its own calls.
struct server_fault {
  static constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

  int server = -1;
  bool of_writes = true;
  std::int64_t first = 1, times = forever;
  int error = EIO;
  friend bool operator==(server_fault const&, server_fault const&) = default;
};
// A server that takes `factor` times longer.
struct slow_server {
  int server = 0;
  double factor = 1;
  friend bool operator==(slow_server const&, slow_server const&) = default;
};

struct troubles {
  std::uint64_t seed = 0;
  std::chrono::nanoseconds delay_max{};  // the most that a message is late, at random
  std::vector<server_fault> faults = {};
  std::vector<slow_server> slow = {};
  friend bool operator==(troubles const&, troubles const&) = default;
};

// Returns one line, without members that have their defaults: "seed=7 delay_ns=20000
// fault=server:1,call:write,first:3,times:2,error:ENOSPC slow=0:4.5". The inverse is
// parse_troubles, which throws std::invalid_argument with the word that it does not understand.
std::string to_string(troubles const& t);
troubles parse_troubles(std::string_view text);

}  // namespace argosy::lab::gpfs
