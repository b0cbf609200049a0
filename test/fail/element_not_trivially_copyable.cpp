// A string is a handle on its characters, not the characters.
// SPDX-License-Identifier: BSD-3-Clause
// build error: this type is not trivially copyable, so its bytes do not carry its value

#include <argosy/datatype.hpp>
#include <string>

namespace io = argosy;

auto buffer(std::string (&names)[2]) { return io::memory(names); }
