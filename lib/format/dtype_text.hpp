// Types of elements from the text of headers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/format/dtype.hpp>

#include "literal.hpp"

namespace argosy::detail {

// False where it is no type that has a place in a file; then `why` says what is wrong.
bool dtype_from(literal const& from, dtype& into, std::string& why);

}  // namespace argosy::detail
