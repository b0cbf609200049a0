// The data representations of this process by name: native, internal, external32, and those that
// were registered.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include <argosy/view/representation.hpp>

namespace argosy {

// As MPI_Register_datarep: lasts until the process ends. Local; register it on every rank that uses
// it. errc::duplicate_representation if the name is taken; errc::argument if it is empty or longer
// than 127 characters, if a size is not 1 to 256 bytes, or if a missing function would have to
// change a size. Any thread.
void register_representation(std::string_view name, representation_functions functions);
void register_representation(std::string_view name, representation_functions functions,
                             std::error_code& error);

namespace detail {

// errc::representation if there is none of that name; the result is then `native`.
representation find_representation(std::string_view name);
representation find_representation(std::string_view name, std::error_code& error);

}  // namespace detail

}  // namespace argosy
