// Optional operation of a handle: a lock that does not wait.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/extend.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy {

namespace extend {

template <class H>
concept has_try_lock =
    handle<H> && requires(H& h, std::int64_t n, lock_kind kind, std::error_code& error) {
      // Locks like lock(), but returns false, without an error, if lock() would wait. If a handle
      // has no try_lock, ranks merge only if no other process can have the file open.
      { h.try_lock(n, n, kind, error) } -> std::same_as<bool>;
    };

}  // namespace extend

namespace detail {

// Calls try_lock() of any handle. The error is errc::unsupported if the handle has none.
template <handle H>
bool try_lock_of(H& h, std::int64_t offset, std::int64_t length, lock_kind kind,
                 std::error_code& error) {
  if constexpr (has_try_lock<H>) {
    return h.try_lock(offset, length, kind, error);
  } else {
    error = errc::unsupported;
    return false;
  }
}

}  // namespace detail
}  // namespace argosy
