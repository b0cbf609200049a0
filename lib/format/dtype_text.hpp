// Types of elements, read from the text of headers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/format/dtype.hpp>

#include "literal.hpp"

namespace argosy::detail {

// Reads a type. Returns false and sets `why` if it is no type that a file can have.
bool dtype_from(literal const& from, dtype& into, std::string& why);

}  // namespace argosy::detail
