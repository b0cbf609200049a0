// The calls that make sockets. Each system call is made and checked here. Descriptors do not block
// and are not inherited by programs that this one starts. Errors are errno values in
// std::system_category; the descriptor is -1 then.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>
#include <system_error>

#include "address.hpp"

namespace argosy::wire {

int listen_local(std::string const& name, std::error_code& error);
int listen_network(std::uint32_t& port, std::error_code& error);
// Accepts the next peer. Returns -1 without an error if there is none.
int accept_next(int listener, std::error_code& error);
int connect_local(std::string const& name, std::chrono::milliseconds patience,
                  std::error_code& error);
int connect_network(address::host const& host, std::uint32_t port,
                    std::chrono::milliseconds patience, std::error_code& error);
bool is_loopback(address::host const& host);
int family_of(int descriptor);
// Returns false if the peer of a local socket is a process of another user, and not of root. The
// kernel knows the user of a local peer. For a peer on the network it returns true.
bool is_of_same_user(int descriptor);
// Ends the connections of all peers that wait to be accepted, without a free descriptor. Returns
// false if that failed.
bool turn_away(int listener);
void close_descriptor(int descriptor);

}  // namespace argosy::wire
