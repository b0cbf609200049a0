// Optional operation of a handle: a lock that does not wait.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy {

template <class H>
concept trying =
    handle<H> && requires(H& h, std::int64_t n, lock_kind kind, std::error_code& error) {
      // As lock(), but false, and no error, where that would wait. Without it a file is merged only
      // where nobody else can have it open.
      { h.try_lock(n, n, kind, error) } -> std::same_as<bool>;
    };

namespace detail {

// The same for any handle: errc::unsupported, of one that cannot try.
template <handle H>
bool try_lock_of(H& h, std::int64_t offset, std::int64_t length, lock_kind kind,
                 std::error_code& error) {
  if constexpr (trying<H>) {
    return h.try_lock(offset, length, kind, error);
  } else {
    error = errc::unsupported;
    return false;
  }
}

}  // namespace detail
}  // namespace argosy
