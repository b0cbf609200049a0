// Optional operations of a handle: hints and directives to the file system, as gpfs_fcntl takes
// them; what it lies on, and who locks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy {

inline constexpr int unknown_node = -1;

template <class H>
concept hinting = handle<H> && requires(H& h, std::span<std::byte> argument) {
  // `argument`: a header and its structures (gpfs_fcntl.hpp), which receive what the call writes.
  // errc::unsupported if the file system has no such call.
  { h.fcntl(argument) } -> std::same_as<std::error_code>;
  { h.takes_hints() } -> std::same_as<bool>;  // false: fcntl always returns errc::unsupported
  // the number of this node in partition maps, or unknown_node
  { h.node() } -> std::same_as<int>;
};

namespace detail {

// The same functions for any handle, for decorators: a handle without these operations takes no
// hints.
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

// Whether somebody else keeps the handle from an exclusive lock; nothing if it does not know.
template <handle H>
std::optional<bool> is_locked(H& h, std::int64_t offset, std::int64_t length) {
  if constexpr (requires {
                  { h.is_locked(offset, length) } -> std::same_as<std::optional<bool>>;
                })
    return h.is_locked(offset, length);
  else
    return std::nullopt;
}

// Returns the range of a lock that keeps the handle from a lock of this kind; nothing if there is
// none, or if it does not know.
template <handle H>
std::optional<locked_range> lock_in_the_way(H& h, std::int64_t offset, std::int64_t length,
                                            lock_kind kind) {
  if constexpr (requires {
                  {
                    h.lock_in_the_way(offset, length, kind)
                  } -> std::same_as<std::optional<locked_range>>;
                })
    return h.lock_in_the_way(offset, length, kind);
  else
    return std::nullopt;
}

// Returns which file the handle has open; nothing if it does not tell.
template <handle H>
std::optional<file_identity> identity_of(H& h) {
  if constexpr (requires {
                  { h.identity() } -> std::same_as<std::optional<file_identity>>;
                })
    return h.identity();
  else
    return std::nullopt;
}

// Returns true if lock_in_the_way() knows. Decorators say it for what they are around.
template <handle H>
bool tells_locks(H& h) {
  if constexpr (requires {
                  { h.tells_locks() } -> std::same_as<bool>;
                })
    return h.tells_locks();
  else
    return requires { h.lock_in_the_way(std::int64_t{}, std::int64_t{}, lock_kind{}); };
}

template <class H>
concept reconciling = requires(H& h) {
  { h.reconcile() } -> std::same_as<std::error_code>;
};

// Of a handle whose node keeps what it reads and writes to itself: what was written is where others
// find it, and what is read next is from there. Others have nothing to do.
template <handle H>
std::error_code reconcile(H& h) {
  if constexpr (reconciling<H>)
    return h.reconcile();
  else
    return {};
}

// What the file lies on, of a handle that has `storage()`; others are on local files.
template <handle H>
storage storage_of(H& h) {
  if constexpr (requires {
                  { h.storage() } -> std::same_as<argosy::storage>;
                }) {
    argosy::storage told = h.storage();
    // without it only locks bring caches together
    if constexpr (!reconciling<H>) told.exact_writes = false;
    return told;
  } else {
    return {};
  }
}

}  // namespace detail

}  // namespace argosy
