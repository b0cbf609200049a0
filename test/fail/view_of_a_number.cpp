// A number is no datatype.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy: a view is made of datatypes, and this is none: give io::type<double>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <vector>

namespace io = argosy;
using file = io::basic_file<io::self>;

void view(file& f) { f.set_view(0, double{}); }
