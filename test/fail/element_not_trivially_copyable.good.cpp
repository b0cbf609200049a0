// A string is a handle on its characters, not the characters.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <string>

namespace io = argosy;

auto buffer(std::string (&names)[2]) { return io::memory(names[0]); }
