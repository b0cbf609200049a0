// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>
#include <vector>

namespace io = argosy;
using file = io::basic_file<io::self>;

void view(file& f) { f.set_view(0, io::type<double>); }
