// The zero byte at the end of a text would be written, too.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: text in quotes ends with a zero byte

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <string_view>

namespace io = argosy;
using file = io::basic_file<io::self>;

auto write(file& f) { return f.write_at(0, "abc"); }
