// What handles may offer besides: hints and directives to the file system, as gpfs_fcntl takes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy {

inline constexpr int unknown_node = -1;

template <class H>
concept hinting = handle<H> && requires(H& h, std::span<std::byte> argument) {
  // A header and its structures (gpfs/fcntl.hpp); what the call writes into them is there afterwards. errc::unsupported where
  // the file system has no such thing.
  { h.fcntl(argument) } -> std::same_as<std::error_code>;
  { h.takes_hints() } -> std::same_as<bool>;  // false: fcntl is errc::unsupported whatever it is given
  { h.node() } -> std::same_as<int>;          // by which partition maps name this place, or unknown_node
};

// The same of every handle, for decorators: one that has no such thing takes no hints.
template <handle H>
std::error_code fcntl_of(H& h, std::span<std::byte> argument) {
  if constexpr (hinting<H>)
    return h.fcntl(argument);
  else
    return errc::unsupported;
}
template <handle H>
bool takes_hints(H& h) {
  if constexpr (hinting<H>)
    return h.takes_hints();
  else
    return false;
}
template <handle H>
int node_of(H& h) {
  if constexpr (hinting<H>)
    return h.node();
  else
    return unknown_node;
}

}  // namespace argosy
