// Numbers in braces have no address.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: data in braces is .container, datatype. or .container, datatype, count.

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <vector>

namespace io = argosy;
using file = io::basic_file<io::self>;

auto write(file& f) { return f.write_at(0, {1.0, 2.0}); }
