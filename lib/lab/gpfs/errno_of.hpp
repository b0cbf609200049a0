// Converts an error for transmission between processes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <system_error>

#include <argosy/error/errc.hpp>

namespace argosy::lab::gpfs::detail {

// Returns 0 if there is no error.
inline int errno_of(std::error_code const& error) {
  return !error ? 0 : argosy::detail::is_errno(error) ? error.value() : EIO;
}

}  // namespace argosy::lab::gpfs::detail
