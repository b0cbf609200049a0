// The elements of a deque do not lie one behind the other, so no datatype can be laid over them.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: data in braces is .container, datatype. or .container, datatype, count.

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <deque>

namespace io = argosy;
using file = io::basic_file<io::self>;

auto write(file& f, std::deque<double>& v) { return f.write_at(0, {v, io::type<double>}); }
