// A container and two numbers, without a datatype.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: data in braces is .container, datatype. or .container, datatype, count.

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <vector>

namespace io = argosy;
using file = io::basic_file<io::self>;

auto write(file& f, std::vector<double>& v) { return f.write_at(0, {v, 8, 3}); }
