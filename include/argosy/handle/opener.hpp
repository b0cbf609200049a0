// How files are opened, as a value: the place where a program or a test puts another handle, or decorators around one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/posix.hpp>

namespace argosy {

// Sets the error, and then returns a handle that is not open. Called by several threads at a time.
using opener = std::function<any_handle(std::string const&, open_flags, std::error_code&)>;

template <openable H>
opener opener_of() {
  return [](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
    H opened = H::open(path, flags, error);
    if (error) return {};
    return any_handle(std::move(opened));
  };
}

inline opener posix_opener() { return opener_of<posix>(); }

}  // namespace argosy
