// Optional operations of a handle: hints and directives to the file system in the form of
// gpfs_fcntl. Also the storage of the file, and the locks of other owners.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/extend.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy {

namespace extend {

inline constexpr int unknown_node = -1;

template <class H>
concept takes_fcntl = handle<H> && requires(H& h, std::span<std::byte> argument) {
  // `argument` is a header and its structures (gpfs_fcntl.hpp), and receives the results. Returns
  // errc::unsupported if the file system has no such call.
  { h.fcntl(argument) } -> std::same_as<std::error_code>;
  { h.takes_hints() } -> std::same_as<bool>;  // if false, fcntl always returns errc::unsupported
  // Returns the number of this node in partition maps, or unknown_node.
  { h.node() } -> std::same_as<int>;
};

}  // namespace extend

namespace detail {

// Each of the following functions works for any handle, for decorators. A handle without the
// operations accepts no hints.
template <handle H>
std::error_code fcntl_of(H& h, std::span<std::byte> argument) {
  if constexpr (takes_fcntl<H>)
    return h.fcntl(argument);
  else
    return errc::unsupported;
}

template <handle H>
bool takes_hints(H& h) {
  if constexpr (takes_fcntl<H>)
    return h.takes_hints();
  else
    return false;
}

template <handle H>
int node_of(H& h) {
  if constexpr (takes_fcntl<H>)
    return h.node();
  else
    return unknown_node;
}

// Returns true if a lock of another owner prevents an exclusive lock of this handle. No value if
// the handle cannot find that out.
template <handle H>
std::optional<bool> is_locked(H& h, std::int64_t offset, std::int64_t length) {
  if constexpr (requires {
                  { h.is_locked(offset, length) } -> std::same_as<std::optional<bool>>;
                })
    return h.is_locked(offset, length);
  else
    return std::nullopt;
}

// Returns the range of a lock that prevents a lock of this kind. No value if there is none, or if
// the handle cannot find it out.
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

// Returns the identity of the open file. No value if the handle does not report it.
template <handle H>
std::optional<file_identity> identity_of(H& h) {
  if constexpr (requires {
                  { h.identity() } -> std::same_as<std::optional<file_identity>>;
                })
    return h.identity();
  else
    return std::nullopt;
}

// Returns true if lock_in_the_way() reports locks. Decorators return it for the handle inside.
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

// Writes out this node's changes and drops its cached pages, if the handle's node has a cache of
// its own. Other handles have nothing to do.
template <handle H>
std::error_code reconcile(H& h) {
  if constexpr (reconciling<H>)
    return h.reconcile();
  else
    return {};
}

// Returns the storage of the file if the handle has `storage()`, and otherwise local files.
template <handle H>
storage storage_of(H& h) {
  if constexpr (requires {
                  { h.storage() } -> std::same_as<argosy::extend::storage>;
                }) {
    argosy::extend::storage told = h.storage();
    // Without reconcile(), only locks make caches agree.
    if constexpr (!reconciling<H>) told.exact_writes = false;
    return told;
  } else {
    return {};
  }
}

}  // namespace detail

}  // namespace argosy
