// The data representations of this process by name: native, internal, external32, and registered
// ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include <argosy/extend.hpp>
#include <argosy/view/representation.hpp>

namespace argosy {

namespace extend {

// Registers a data representation until the process ends, like MPI_Register_datarep. Local: every
// rank that uses the name must register it. Any thread may call this. Throws
// errc::duplicate_representation if the name is taken. Throws errc::argument if the name is empty
// or longer than 127 characters. Throws errc::argument if `file_bytes` returns a size that is not 1
// to 256 bytes, or not 1 for basic::byte. Throws errc::argument if a type has different sizes in
// memory and in the file, but `read` or `write` is missing.
void register_representation(std::string_view name, representation_functions functions);
void register_representation(std::string_view name, representation_functions functions,
                             std::error_code& error);

}  // namespace extend

namespace detail {

// Returns the representation of that name. If there is none, throws errc::representation, or sets
// `error` and returns `native`.
representation find_representation(std::string_view name);
representation find_representation(std::string_view name, std::error_code& error);

}  // namespace detail

}  // namespace argosy
