// The address of a station: where it listens, and the cookies that authenticate its peers. Plain
// bytes that ranks can gather.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <type_traits>

namespace argosy::wire {

// A peer that connects shows one cookie and is shown the other, so neither talks to a stray
// process. Only processes that have the address have the cookies. On a network they travel
// unencrypted.
using cookie = std::array<std::byte, 32>;

struct address {
  struct host {
    std::uint32_t family = 0;  // 4 or 6
    std::array<std::byte, 16> bytes = {};
  };
  static constexpr std::size_t hosts_max = 6;

  std::array<char, 64> machine = {};  // equal on machines whose local names reach each other
  // a name of a Unix socket that is in no directory; empty if there is none
  std::array<char, 48> local = {};
  std::array<host, hosts_max> hosts = {};
  std::uint32_t host_count = 0;
  std::uint32_t port = 0;  // port of TCP; 0 if there is none
  cookie shown = {}, answered = {};

  bool is_here() const;  // true if the station is on the machine of this process
  friend bool operator==(address const&, address const&) = default;
};
inline bool operator==(address::host const& a, address::host const& b) {
  return a.family == b.family && a.bytes == b.bytes;
}
static_assert(std::is_trivially_copyable_v<address>);

// Returns an address with new cookies, a new name, and this machine's network interfaces. Throws
// std::system_error.
address new_address();

// Returns some lines of text, for a file. A process that can read it may connect.
std::string to_text(address const& a);
address address_from(std::string const& text, std::error_code& error);

}  // namespace argosy::wire
